# Where ranks run, and that the report says so. Pain case LA22; the policies themselves are tests/unit/launcher_placement.
import os
import re
import signal
import subprocess
import sys

from harness import LaunchTest, WEFTRUN, main

SHOW = r"grep Cpus_allowed_list /proc/self/status | tr -d '\t'"
ALLOWED = sorted(os.sched_getaffinity(0))


def parse(text):
    cpus = []
    for part in text.split(','):
        first, _, last = part.partition('-')
        cpus += range(int(first), int(last or first) + 1)
    return cpus


class Binding(LaunchTest):
    def sets(self, *flags, prefix=()):
        """What each rank may use, after comparing it with the report."""
        result = self.run_job('-l', '--report', *flags, 'sh', '-c', SHOW, prefix=prefix)
        self.assertEqual(result.code, 0, result)
        told = {match[1]: parse(match[2]) for match in re.finditer(r'weftrun: rank (\d+) on \S+: pid \d+, CPUs (\S+)', result.err)}
        true = {match[1]: parse(match[2]) for match in re.finditer(r'\[(\d+)\] Cpus_allowed_list:(\S+)', result.out)}
        self.assertEqual(told, true, result)
        return [true[str(rank)] for rank in range(len(true))]

    def test_never_outside_the_inherited_set(self):
        last = ALLOWED[-1]
        for flags in ([], ['--bind-to', 'core'], ['--map-by', 'core'], ['--bind-to', 'none'], ['--map-by', 'hwthread']):
            self.assertEqual(self.sets('-n', 2, *flags, prefix=('taskset', '-c', str(last))), [[last]] * 2)

    def test_ranks_share_out_the_cores(self):
        if len(ALLOWED) < 2:
            self.skipTest('one core')
        first, second = self.sets('-n', 2)
        self.assertFalse(set(first) & set(second))

    def test_threads_of_a_single_rank_have_cores(self):
        self.assertEqual(self.sets('-n', 1), [ALLOWED])

    def test_more_ranks_than_cores_are_not_bound(self):
        for cpus in self.sets('-n', len(ALLOWED) + 1):
            self.assertEqual(cpus, ALLOWED)

    def test_bind_to_core_and_none(self):
        self.assertTrue(set(self.sets('-n', 1, '--bind-to', 'core')[0]) <= set(ALLOWED))
        self.assertEqual(self.sets('-n', 1, '--bind-to', 'none'), [ALLOWED])

    def test_two_jobs_do_not_meet_on_one_core(self):
        if len(ALLOWED) < 2:
            self.skipTest('one core')
        show = f'{SHOW}; touch ready.$NAME; while [ ! -e go ]; do sleep 0.05; done'
        jobs = []
        for name in ('first', 'second'):
            jobs.append(self.start('-n', 1, '-x', f'NAME={name}', 'sh', '-c', show))
            self.wait_for_files([f'ready.{name}'])
        open(os.path.join(self.directory, 'go'), 'w').close()
        sets = [parse(self.finish(job).out.split(':')[1].strip()) for job in jobs]
        self.assertFalse(any(len(cpus) == 1 for cpus in sets) and sets[0] == sets[1], sets)

    def test_second_job_takes_the_free_core(self):
        if len(ALLOWED) < 2:
            self.skipTest('one core')
        first = self.start('-n', 1, '--bind-to', 'core', 'sh', '-c', f'{SHOW}; touch ready; exec sleep 1000')
        self.wait_for_files(['ready'])
        taken = parse(first.stdout.readline().decode().split(':')[1].strip())
        second = self.sets('-n', 1)[0]
        first.send_signal(signal.SIGTERM)
        self.finish(first)
        self.assertFalse(set(second) & set(taken), (second, taken))


if __name__ == '__main__':
    # Claims of cores are seen within a network namespace: in one of our own no other job of this machine interferes.
    for own in (['unshare', '-n'], ['unshare', '-r', '-n']):
        if os.environ.get('WEFT_TEST_ALONE') is None and subprocess.run([*own, 'true'], capture_output=True).returncode == 0:
            os.environ['WEFT_TEST_ALONE'] = '1'
            os.execvp(own[0], [*own, sys.executable, *sys.argv])
    main()
