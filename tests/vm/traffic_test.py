# Jobs whose messages are on their way over verbs when the network or a peer fails, under push, pull and message links: loss and
# delay are survived with every byte right, anything worse ends the job, which names the host, and nothing is left.
# Started by meson with WEFTRUN and WEFT_TEST_TRAFFIC.
import os

import harness

PARADIGMS = ('write-write', 'read-read', 'send-send')


def job(paradigm, rounds, hosts='n0:1,n1:1'):
    return f'{os.environ["WEFTRUN"]} --hosts {hosts} --agent "$VM/enter %h" --paradigm={paradigm} {os.environ["WEFT_TEST_TRAFFIC"]} {rounds}'


def everywhere(*words):
    return '; '.join(f'$VM/enter {host} $VM/fault {" ".join(words)}' for host in ('n0', 'n1'))


def struck(paradigm, fault):
    """A line of shell: the job runs without end, the fault strikes, and the job fails."""
    return (f'{job(paradigm, 0)} > $TMPDIR/said & job=$!; until grep -q "under way" $TMPDIR/said; do kill -0 $job || exit 9; sleep 0.2; done; '
            f'{fault}; wait $job; code=$?; rm $TMPDIR/said; test $code != 0')


class Traffic(harness.GuestTest):
    def survives(self, *fault):
        result = self.batch('\n'.join([everywhere(*fault), *(job(paradigm, 2) for paradigm in PARADIGMS)]), '-n', 2, '--on', 'n0')
        self.assertEqual(result.out.count('all right'), len(PARADIGMS), str(result))

    def fails(self, fault, words):
        """Each paradigm in a boot of its own, since the fault stays."""
        for paradigm in PARADIGMS:
            with self.subTest(paradigm):
                result = self.expect(0, '-n', 2, '--on', 'n0', '--', struck(paradigm, fault))
                self.assertRegex(result.err, words, str(result))

    def test_what_is_lacking(self):
        batch = [f'{job(paradigm, 1)}; test $? != 0' for paradigm in ('socket-socket', 'write-socket')]
        result = self.batch('\n'.join(batch), '-n', 2, '--on', 'n0')
        self.assertEqual(result.err.count("the verbs fabric has no 'stream' operation, which a stream link needs"), len(batch), str(result))
        self.assertNotIn('under way', result.out)

    def test_a_lossy_network(self):
        self.survives('loss', '5%')

    def test_a_slow_network(self):
        self.survives('delay', '20ms')

    def test_a_silent_network(self):
        lines = [line for paradigm in PARADIGMS for line in (struck(paradigm, everywhere('loss', '100%')), everywhere('clear'))]
        result = self.batch('\n'.join(lines), '-n', 2, '--on', 'n0')
        lost = [line for line in result.err.splitlines() if 'is lost' in line]
        self.assertEqual(len(lost), len(PARADIGMS), str(result))
        for line in lost:
            self.assertRegex(line, r'rank [01] on host n[01] is lost: work completion on rxe0: ')

    def test_a_rank_is_killed(self):
        result = self.batch('\n'.join(struck(paradigm, '$VM/enter n1 pkill -9 -x traffic') for paradigm in PARADIGMS), '-n', 2, '--on', 'n0')
        self.assertEqual(len([line for line in result.err.splitlines() if 'rank 1 ' in line and ' n1' in line]), len(PARADIGMS), str(result))

    def test_a_link_goes_down(self):
        self.fails('$VM/enter n1 $VM/fault down', r'rank [01] on host n[01] is lost: ')

    def test_a_guest_is_killed(self):
        self.fails('$VM/fault kill n1', r'n0\| weftrun: .*\bn1\b')


harness.main()
