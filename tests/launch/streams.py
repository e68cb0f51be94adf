# Standard output, error and input of the ranks. Pain cases LA08, LA10.
import collections
import hashlib
import os
import pty
import re
import subprocess

from harness import HANG_S, LaunchTest, WEFTRUN, main

HALVES = '''
import os, sys, time
out = sys.stderr if 'error' in sys.argv else sys.stdout
rank = os.environ['PMIX_RANK']
for i in range(200):
    out.write(f'line {i} of rank {rank} '); out.flush(); time.sleep(0.001)
    out.write(f'ends line {i} of rank {rank}\\n'); out.flush()
out.write('long ' + rank * 200000 + '\\n')
'''


class Output(LaunchTest):
    def check_lines(self, lines, tagged, ranks):
        seen = collections.defaultdict(list)
        for line in lines:
            tag = ''
            if tagged:
                match = re.match(r'\[(\d+)\] (.*)', line)
                self.assertTrue(match, line[:100])
                tag, line = match[1], match[2]
            whole = re.fullmatch(r'line (\d+) of rank (\d+) ends line (\d+) of rank (\d+)', line)
            if whole:
                self.assertEqual((whole[1], whole[2]), (whole[3], whole[4]))
                seen[whole[2]].append(int(whole[1]))
                rank = whole[2]
            else:
                rank = line[5:6]
                self.assertEqual(line, 'long ' + rank * 200000)
                seen[rank].append(200)
            if tagged:
                self.assertEqual(tag, rank)
        self.assertEqual(dict(seen), {str(rank): list(range(201)) for rank in range(ranks)})

    def test_lines_stay_whole(self):
        program = self.python('halves', HALVES)
        for flags in ([], ['-l']):
            result = self.expect(0, *flags, '-n', 3, program)
            self.check_lines(result.out.splitlines(), bool(flags), 3)
            result = self.expect(0, *flags, '-n', 3, program, 'error')
            self.check_lines(result.err.splitlines(), bool(flags), 3)

    def test_unfinished_lines_are_kept_apart(self):
        result = self.expect(0, '-n', 3, 'printf', 'x')
        self.assertEqual(result.out.split('\n'), ['x', 'x', 'x'])
        self.assertEqual(sorted(self.expect(0, '-l', '-n', 2, 'printf', r'a\nb').out.split('\n')), ['[0] a', '[0] b', '[1] a', '[1] b'])

    def test_one_rank_passes_bytes_as_they_are(self):
        data = bytes(range(256)) * 3000
        result = self.expect(0, 'cat', data=data)
        self.assertEqual(result.out_bytes, data)

    def test_slow_reader_loses_nothing(self):
        job = self.start('-n', 2, 'sh', '-c', 'seq 200000')
        total = self.read_slowly(job)
        self.assertEqual(self.finish(job).code, 0)
        self.assertEqual(collections.Counter(total.split()), collections.Counter({str(i).encode(): 2 for i in range(1, 200001)}))

    def test_full_disk_is_told(self):
        with open('/dev/full', 'w') as full:
            result = self.run_job('-n', 2, 'echo', 'lost', stdout=full)
        self.assertEqual(result.code, 1)
        self.assertEqual(result.err, "weftrun: output of the ranks can't be written: No space left on device\n")
        self.nothing_left()

    def test_output_after_the_end_of_a_rank(self):
        result = self.expect(0, '-n', 2, 'sh', '-c', 'seq 30000; seq 30000 >&2')
        self.assertEqual((len(result.out.splitlines()), len(result.err.splitlines())), (60000, 60000))

    def test_prompt_of_a_single_rank_is_seen(self):
        job = self.start('sh', '-c', 'printf "name? "; read name; echo "hello $name"', stdin=subprocess.PIPE)
        self.assertEqual(os.read(job.stdout.fileno(), 100), b'name? ')
        self.assertEqual(self.finish(job, b'weft\n').out, 'hello weft\n')


class Input(LaunchTest):
    data = os.urandom(400_000)
    digest = hashlib.sha256(data).hexdigest()
    hash_program = '''
        import hashlib, sys, time
        digest, slow = hashlib.sha256(), 'slow' in sys.argv
        while chunk := sys.stdin.buffer.read1(4096):
            digest.update(chunk)
            if slow: time.sleep(0.01)
        print(digest.hexdigest())
        '''

    def test_rank_0_gets_all_and_the_others_nothing(self):
        program = self.python('digest', self.hash_program)
        empty = hashlib.sha256(b'').hexdigest()
        for extra in ([], ['slow']):
            result = self.expect(0, '-l', '-n', 3, program, *extra, data=self.data)
            self.assertEqual(sorted(result.out.splitlines()), [f'[0] {self.digest}', f'[1] {empty}', f'[2] {empty}'])

    def test_another_rank_can_have_it(self):
        program = self.python('digest', self.hash_program)
        self.assertIn(f'[1] {self.digest}', self.expect(0, '-l', '--stdin', 1, '-n', 2, program, data=self.data).out)
        self.assertNotIn(self.digest, self.expect(0, '-l', '--stdin', 'none', '-n', 2, program, data=self.data).out)

    def test_unread_input_is_no_trouble(self):
        self.expect(0, '-n', 2, 'true', data=self.data)

    def test_loop_around_the_launcher_keeps_its_input(self):
        done = subprocess.run(['sh', '-c', f'while read word; do "{WEFTRUN}" -n 2 echo $word; done'], input=b'a\nb\n', capture_output=True,
                              env=self.environment(), timeout=HANG_S)
        self.assertEqual(done.stdout, b'a\na\nb\nb\n')

    def in_terminal(self, *arguments, typed=b''):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.directory)
            os.execve(WEFTRUN, [WEFTRUN, *arguments], self.environment())
        if typed:
            os.write(terminal, typed)
        seen = b''
        try:
            while chunk := os.read(terminal, 1000):
                seen += chunk
        except OSError:
            pass
        os.close(terminal)
        self.assertEqual(os.waitpid(pid, 0)[1], 0, seen)
        self.nothing_left()
        return seen

    def test_terminal(self):
        # rank 0 has a process group of its own, and still gets what is typed
        seen = self.in_terminal('-n', '2', 'sh', '-c', 'cat; echo end of $PMIX_RANK', typed=b'typed\n\x04')
        self.assertEqual(seen.count(b'typed'), 2, seen)         # the terminal's echo, and cat's
        self.assertIn(b'end of 0', seen)
        self.assertIn(b'end of 1', seen)

    def test_prompt_is_shown_before_the_answer(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(WEFTRUN, [WEFTRUN, '-n', '3', 'sh', '-c', '[ $PMIX_RANK = 0 ] || exit 0; printf "name? "; read name; echo "hello $name"'],
                      self.environment())
        seen = b''
        while b'name? ' not in seen:
            seen += os.read(terminal, 100)
        os.write(terminal, b'weft\n')
        while b'hello weft' not in seen:
            seen += os.read(terminal, 100)
        os.waitpid(pid, 0)
        os.close(terminal)

    def test_output_is_a_terminal_when_ours_is(self):
        show = 'test -t 1 && echo to a terminal || echo to a pipe'
        self.assertEqual(self.in_terminal('-n', '2', 'sh', '-c', show), b'to a terminal\r\n' * 2)
        self.assertEqual(self.expect(0, '-n', 2, 'sh', '-c', show).out, 'to a pipe\n' * 2)
        seen = self.in_terminal('-n', '2', 'seq', '20000')
        self.assertEqual(collections.Counter(seen.split()), collections.Counter({str(i).encode(): 2 for i in range(1, 20001)}))


if __name__ == '__main__':
    main()
