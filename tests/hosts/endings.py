# How a job on several hosts ends: the first failing rank's code and host, signals, and nothing left on any host. The sessions'
# directories of all agents are in the one TMPDIR that the environment carries to each.
import os
import signal
import subprocess
import time

from network import HostsTest, main
from harness import PROBE, times


class ExitCodes(HostsTest):
    def check(self, code, end, rank, host, words):
        for _ in range(times(2, 30)):
            result = self.expect(code, *self.on('a:2,b:2', PROBE, end))
            self.one_line(result, f'rank {rank} (pid ', f' on {host}: ', words)

    def test_rank_on_any_host(self):
        for rank, host in ((0, 'a'), (3, 'b')):
            self.check(3, f'{rank}:exit=3', rank, host, 'exited with code 3')
            self.check(139, f'{rank}:segv', rank, host, 'SIGSEGV')
            self.check(137, f'{rank}:kill=9', rank, host, 'SIGKILL')
            self.check(7, f'{rank}:abort=7', rank, host, 'code 7: the probe was told to abort')
            self.check(1, f'{rank}:exit=0', rank, host, 'without MPI_Finalize')

    def test_lost_on_another_host(self):
        for ends, rank, host in ((('lost=1', 'late=300'), 1, 'b'), (('late=300', 'lost=0'), 0, 'a')):
            programs = ('-n', '1', PROBE, f'0:{ends[0]}', ':', '-n', '1', PROBE, f'1:{ends[1]}')
            self.one_line(self.expect(137, *self.on('a,b', *programs)), f'rank {rank} (pid ', f' on {host}: ', 'SIGKILL')

    def test_all_at_once(self):
        result = self.expect(5, *self.on('a:2,b:2,c:2', PROBE, 'exit=5'))
        self.assertEqual(len(result.err.splitlines()), 1, result)
        result = self.expect(9, *self.on('a:2,b:2,c:2', PROBE, 'abort=9'))
        self.assertEqual(len(result.err.splitlines()), 1, result)

    def test_plain_programs(self):
        self.assertEqual(self.expect(0, *self.on('a:2,b:2', 'true')).err, '')
        self.expect(5, *self.on('a:2,b:2', 'sh', '-c', 'exit 5'))

    def test_rank_that_never_calls_init(self):
        result = self.expect(1, *self.on('a,b', 'sh', '-c', f'[ $PMIX_RANK = 1 ] && exit 0; exec {PROBE}'))
        self.one_line(result, 'rank 1 ', ' on b: ', 'without MPI_Init')

    def test_last_words_come_before_the_verdict(self):
        last_words = '[ $PMIX_RANK = 1 ] || exec sleep 1000; echo last words >&2; exit 3'
        result = self.run_job(*self.on('a,b', 'sh', '-c', last_words), stderr=subprocess.STDOUT)
        self.assertIn('last words', result.out.splitlines()[0])
        self.assertIn('rank 1', result.out.splitlines()[1])

    def hiding_agent(self):
        """On host b the folder `only` is empty."""
        os.makedirs(os.path.join(self.directory, 'only', 'folder'))
        self.script('only/program', 'sleep 1000')
        return self.script('reach', f'''
            host=$1; shift
            [ $host = b ] || exec {self.agent.replace('%h', '$host')} "$@"
            exec unshare -m sh -c 'mount -t tmpfs none {self.directory}/only && exec "$@"' sh {self.agent.replace('%h', '$host')} "$@"
            ''')

    def test_program_that_is_on_one_host_only(self):
        result = self.expect(127, '--hosts', 'a,b', '--agent', self.hiding_agent(), './only/program')
        self.one_line(result, 'rank 1 on b', 'only/program', 'No such file')

    def test_folder_that_is_on_one_host_only(self):
        agent = self.hiding_agent()
        result = self.expect(1, '--hosts', 'a,b', '--agent', agent, 'sleep', '1000', cwd=os.path.join(self.directory, 'only', 'folder'))
        self.assertIn('host b: working folder', result.err)

    def test_time_limit(self):
        self.one_line(self.expect(124, '--timeout', '1', *self.on('a,b', PROBE, '9:none')), 'time limit')


class Signals(HostsTest):
    def waiting(self, *flags, program=(PROBE, '9:none'), ranks=4):
        job = self.start(*self.on('a:2,b:2', *flags, *program))
        for _ in range(ranks):
            job.stdout.readline()
        return job

    def test_end_signals(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            job = self.waiting()
            job.send_signal(number)
            result = self.finish(job)
            self.assertEqual((result.code, result.err), (code, ''), result)
            self.nothing_left()

    def test_ranks_hear_it_and_have_time(self):
        listener = self.python('listener', '''
            import os, signal, sys, time
            def hear(number, frame):
                print(os.environ['PMIX_RANK'], signal.Signals(number).name, flush=True)
                if number == signal.SIGTERM: time.sleep(0.5); print('saved', flush=True); sys.exit(0)
            for number in (signal.SIGTERM, signal.SIGUSR1): signal.signal(number, hear)
            print('ready', flush=True)
            while True: time.sleep(0.05)
            ''')
        job = self.waiting(program=(listener,))
        job.send_signal(signal.SIGUSR1)
        self.assertEqual(sorted(job.stdout.readline() for _ in range(4)), [f'{rank} SIGUSR1\n'.encode() for rank in range(4)])
        job.send_signal(signal.SIGTERM)
        result = self.finish(job)
        self.assertEqual((result.code, result.out.count('SIGTERM'), result.out.count('saved')), (143, 4, 4), result)

    def test_deaf_ranks_are_killed(self):
        job = self.waiting('--grace', '0.3', program=('sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'))
        job.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(job).code, 143)
        self.nothing_left()

    def test_second_interrupt(self):
        heard = 'trap "echo heard" INT; echo ready; while :; do sleep 0.1; done'
        job = self.waiting('--grace', '1000', program=('sh', '-c', heard))
        job.send_signal(signal.SIGINT)
        for _ in range(4):
            self.assertEqual(job.stdout.readline(), b'heard\n')
        job.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(job).code, 130)
        self.nothing_left()

    def test_interrupt_while_a_host_is_sought(self):
        job = self.start('--hosts', 'a,b', '--agent', f'[ %h = b ] && exec sleep 1000; {self.agent}', PROBE)
        self.wait_for(lambda: os.listdir(self.temporary), 'host a ready')
        job.send_signal(signal.SIGINT)
        result = self.finish(job)
        self.assertEqual((result.code, result.err), (130, ''), result)
        self.nothing_left()

    def test_stop_and_continue(self):
        job = self.waiting('--host-timeout', '1', program=('sh', '-c', 'echo ready; while [ ! -e go ]; do sleep 0.05; done; echo done'))
        job.send_signal(signal.SIGTSTP)
        time.sleep(3)                                    # longer than a host may be silent
        self.assertIsNone(job.poll())
        open(os.path.join(self.directory, 'go'), 'w').close()
        job.send_signal(signal.SIGCONT)
        result = self.finish(job)
        self.assertEqual((result.code, result.out.count('done'), result.err), (0, 4, ''), result)


class NothingLeft(HostsTest):
    def test_daemons_of_ranks(self):
        daemon = 'setsid sleep 1000 & setsid sh -c "setsid sleep 1000 & sleep 1000" & sleep 0.2'
        self.expect(0, *self.on('a:2,b:2', 'sh', '-c', daemon))
        self.expect(137, *self.on('a:2,b:2', 'sh', '-c', daemon + '; [ $PMIX_RANK = 3 ] || exec sleep 1000; kill -9 $$'))

    def test_reader_of_output_goes_away(self):
        job = self.start(*self.on('a,b', 'yes'))
        job.stdout.read(100)
        job.stdout.close()
        self.assertEqual(job.wait(60), 141)
        self.nothing_left()


if __name__ == '__main__':
    main()
