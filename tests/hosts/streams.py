# What ranks on several hosts say and are told: whole lines, nothing lost, standard input for one of them.
import collections
import hashlib
import os
import pty
import time

from network import HostsTest, main
from harness import WEFTRUN


class Output(HostsTest):
    def test_lines_stay_whole(self):
        program = self.python('halves', '''
            import os, sys, time
            rank = os.environ['PMIX_RANK']
            for out in (sys.stdout, sys.stderr):
                for i in range(100):
                    out.write(f'line {i} of {rank} '); out.flush(); time.sleep(0.001)
                    out.write(f'ends {i} of {rank}\\n'); out.flush()
                out.write('long ' + rank * 200000 + '\\n')
            ''')
        result = self.expect(0, '-l', *self.on('a:2,b:2', program))
        for text in (result.out, result.err):
            expected = [f'[{rank}] line {i} of {rank} ends {i} of {rank}' for rank in range(4) for i in range(100)]
            expected += [f'[{rank}] long ' + str(rank) * 200000 for rank in range(4)]
            self.assertEqual(sorted(text.splitlines()), sorted(expected))

    def test_slow_reader_loses_nothing(self):
        job = self.start(*self.on('a,b', 'seq', '300000'))
        total = self.read_slowly(job)
        self.assertEqual(self.finish(job).code, 0)
        self.assertEqual(collections.Counter(total.split()), collections.Counter({str(i).encode(): 2 for i in range(1, 300001)}))

    def test_unread_output_does_not_pile_up(self):
        job = self.start(*self.on('a,b', 'sh', '-c', 'echo $$; exec yes "a line of some length that is said again and again and again"'))
        rank = int(job.stdout.readline())
        time.sleep(2)                                    # long enough for hundreds of megabytes
        with open(f'/proc/{job.pid}/task/{job.pid}/children') as file:
            worker = int(file.read().split()[0])
        for pid in (worker, self.parent(rank)):
            with open(f'/proc/{pid}/statm') as file:
                self.assertLess(int(file.read().split()[1]) * 4096, 100 << 20)
        job.terminate()
        job.stdout.close()
        job.wait(60)
        self.nothing_left()

    def parent(self, pid):
        with open(f'/proc/{pid}/stat') as file:
            return int(file.read().rsplit(')', 1)[1].split()[1])

    def test_single_rank_passes_bytes_as_they_are(self):
        data = bytes(range(256)) * 3000
        self.assertEqual(self.expect(0, *self.on('b', 'cat'), data=data).out_bytes, data)

    def test_output_is_a_terminal_when_ours_is(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.directory)
            os.execve(WEFTRUN, [WEFTRUN, *self.on('a,b', 'sh', '-c', 'test -t 1 && echo to a terminal; cat')], self.environment())
        os.write(terminal, b'typed\n\x04')
        seen = b''
        try:
            while chunk := os.read(terminal, 1000):
                seen += chunk
        except OSError:
            pass
        os.close(terminal)
        self.assertEqual(os.waitpid(pid, 0)[1], 0, seen)
        self.assertEqual((seen.count(b'to a terminal'), seen.count(b'typed')), (2, 2), seen)
        self.nothing_left()


class Input(HostsTest):
    data = os.urandom(400_000)
    digest = hashlib.sha256(data).hexdigest()

    def digests(self, *flags, **options):
        program = self.python('digest', '''
            import hashlib, sys, time
            digest, slow = hashlib.sha256(), 'slow' in sys.argv
            while chunk := sys.stdin.buffer.read1(8192):
                digest.update(chunk)
                if slow: time.sleep(0.005)
            print(digest.hexdigest())
            ''')
        slow = options.pop('slow', [])
        result = self.expect(0, '-l', *flags, *self.on('a:2,b:2', program, *slow), **options)
        return [line.split()[1] == self.digest for line in sorted(result.out.splitlines())]

    def test_rank_0_gets_all_and_the_others_nothing(self):
        for slow in ([], ['slow']):
            self.assertEqual(self.digests(data=self.data, slow=slow), [True, False, False, False])

    def test_rank_on_another_host(self):
        self.assertEqual(self.digests('--stdin', 3, data=self.data), [False, False, False, True])
        self.assertEqual(self.digests('--stdin', 'none', data=self.data), [False] * 4)

    def test_from_a_file(self):
        path = os.path.join(self.directory, 'data')
        with open(path, 'wb') as file:
            file.write(self.data)
        with open(path, 'rb') as file:
            self.assertEqual(self.digests(stdin=file), [True, False, False, False])

    def test_unread_input_is_no_trouble(self):
        self.expect(0, *self.on('a,b', 'true'), data=self.data)
        self.expect(0, *self.on('a,b', 'sh', '-c', 'exec <&-; sleep 0.3'), data=self.data)


if __name__ == '__main__':
    main()
