# Jobs over guests that a fault strikes: they end by themselves and name the host. Started by meson with WEFTRUN.
import os

import harness

WEFTRUN = os.environ['WEFTRUN']
JOB = f'{WEFTRUN} --hosts n0:1,n1:1 --agent "$VM/enter %h"'
UP = '''until [ "$(for host in n0 n1; do $VM/enter $host 'pgrep -fx "sleep 1000"'; done | wc -l)" = 2 ]; do sleep 0.2; done'''


class Hosts(harness.GuestTest):
    def job(self, *lines):
        """Lines of shell on n0 once the job is up on both; what was said on stderr."""
        result = self.expect(0, '-n', 2, '--on', 'n0', '--', '\n'.join([f'{JOB} sleep 1000 &', 'job=$!', UP, *lines]))
        return result.err

    def test_a_rank_elsewhere_fails(self):
        result = self.expect(5, '-n', 2, '--on', 'n0', '--', f'{JOB} sh -c \'[ $(hostname) = n0 ] || exit 5; exec sleep 1000\'')
        self.assertRegex(result.err, r'n0\| weftrun: .*\bn1\b')

    def test_a_guest_dies(self):
        said = self.job('$VM/fault kill n1', 'wait $job && exit 1', 'true')
        self.assertRegex(said, r'n0\| weftrun: .*\bn1\b')

    def test_a_job_is_ended_everywhere(self):
        self.job('kill -TERM $job', 'wait $job', 'test $? = 143 || exit 1', '! pgrep -x sleep && ! $VM/enter n1 "pgrep -x sleep"')

    def test_three_hosts(self):
        result = self.expect(0, '-n', 3, '--on', 'n0', '--', f'{WEFTRUN} --hosts n0:1,n1:2,n2:1 --agent "$VM/enter %h" hostname')
        self.assertEqual(sorted(result.out.split('\n')), ['', 'n0| n0', 'n0| n1', 'n0| n1', 'n0| n2'])


harness.main()
