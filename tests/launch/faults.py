# A rank of an MPI job dies or leaves while the others wait for it. Pain cases FA01, LA12 with MPI calls, LA26 inside a rank.
import os

from harness import LaunchTest, WEFTRUN, main, times

RANK = os.environ['WEFT_MPI_RANK']


class Faults(LaunchTest):
    # how a rank ends: exit code of the job, words of the line that says so
    ends = {'segv': (139, 'SIGSEGV'), 'kill=9': (137, 'SIGKILL'), 'exit=0': (1, 'without MPI_Finalize'), 'exit=3': (3, 'code 3'),
            'abort=7': (7, 'code 7'), 'abort=0': (1, 'aborted'), 'throw': (134, 'SIGABRT')}
    waits = ('barrier', 'receive', 'allreduce', 'ssend', 'finalize', 'compute')

    def check(self, wait, dying, end):
        code, words = self.ends[end]
        result = self.expect(code, '-n', 3, RANK, wait, f'{dying}:{end}')
        ours = [line for line in result.err.splitlines() if line.startswith(('weft', 'weftrun'))]
        self.assertEqual(len(ours), 1, result)
        self.assertIn(f'rank {dying} (pid', ours[0])
        self.assertIn(words, ours[0])
        if end != 'throw':                                  # the language's own last words
            self.assertEqual(result.err.splitlines(), ours)

    def test_every_end_in_every_wait(self):
        for wait in self.waits:
            for end in self.ends:
                self.check(wait, 2, end)

    def test_rank_0_and_again_and_again(self):
        for _ in range(times(3, 100)):
            for end in ('exit=3', 'segv', 'abort=7'):
                self.check('barrier', 0, end)

    def test_error_of_a_call_is_told_once(self):
        result = self.run_job('-n', 3, RANK, 'barrier', '1:bad')
        self.assertNotEqual(result.code, 0)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        for word in ('rank 1', 'MPI_Send', '99'):
            self.assertIn(word, result.err)

    def test_late_finalize_is_silent(self):
        for _ in range(times(2, 20)):
            self.assertEqual(self.expect(0, '-n', 3, RANK, 'finalize', '1:late=1000').err, '')
        for _ in range(times(10, 300)):
            self.assertEqual(self.expect(0, '-n', 3, RANK, 'finalize', '2:late=20').err, '')

    def test_code_after_finalize(self):
        result = self.expect(4, '-n', 3, RANK, 'finalize', '1:return=4')
        self.assertIn('exited with code 4', result.err)

    def test_small_shared_memory(self):
        setup = self.script('setup', 'mount -t tmpfs -o size=4m none /dev/shm && exec "$@"')
        if os.geteuid() != 0:
            self.skipTest('needs the right to mount')
        result = self.expect(0, '-n', 16, RANK, 'allreduce', '99:none', prefix=('unshare', '-m', setup))
        self.assertEqual((len(result.out.splitlines()), result.err), (16, ''), result)

    def test_rank_that_never_calls_init(self):
        result = self.expect(1, '-n', 3, 'sh', '-c', f'[ $PMIX_RANK = 1 ] && exit 0; exec {RANK}')
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.assertRegex(result.err, r'rank 1 \(pid \d+\).*without MPI_Init')
        result = self.expect(1, '-n', 3, 'sh', '-c', f'[ $PMIX_RANK = 1 ] && sleep 0.5 && exit 0; exec {RANK}')
        self.assertRegex(result.err, r'rank 1 \(pid \d+\).*without MPI_Init')

    def test_one_program_after_the_other(self):
        result = self.expect(0, '-n', 3, 'sh', '-c', f'{RANK} && {RANK}')
        self.assertEqual((len(result.out.splitlines()), result.err), (6, ''), result)
        self.expect(5, '-n', 3, 'sh', '-c', f'{RANK} && exec {RANK} barrier 2:exit=5')

    def test_launch_from_inside_a_rank(self):
        script = self.script('inside', f'{RANK} && exec {WEFTRUN} -n 2 {RANK}')
        result = self.expect(0, '-n', 2, script)
        self.assertEqual(result.out.count('of 2'), 6, result)


if __name__ == '__main__':
    main()
