# Signals and time limits. Pain case LA13.
import os
import signal
import sys
import subprocess

from harness import HANG_S, LaunchTest, PROBE, WEFTRUN, main, times

# Notes each signal it hears in a file, one line a signal; ends when told to.
LISTENER = '''
import os, signal, sys, time
name = 'heard.' + os.environ['PMIX_RANK']
def hear(number, frame):
    with open(name, 'a') as file: file.write(signal.Signals(number).name + '\\n')
    if number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) and 'ends' in sys.argv:
        time.sleep(float(sys.argv[2])); open(name + '.saved', 'w').close(); sys.exit(0)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH): signal.signal(number, hear)
open('ready.' + os.environ['PMIX_RANK'], 'w').close()
while not os.path.exists('go'): time.sleep(0.01)
'''


class Signals(LaunchTest):
    ends = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}

    def listeners(self, *arguments, ranks=2, flags=()):
        program = self.python('listener', LISTENER)
        job = self.start('-n', ranks, *flags, program, *arguments)
        self.wait_for_files([f'ready.{rank}' for rank in range(ranks)])
        return job

    def test_end_signal_on_every_kind_of_rank(self):
        spin = self.script('spin', 'touch ready.$PMIX_RANK; while :; do :; done')
        asleep = self.script('asleep', 'touch ready.$PMIX_RANK; sleep 1000')
        wrapper = self.script('wrapper', 'sleep 1000 & touch ready.$PMIX_RANK; wait')
        deaf = self.script('deaf', 'trap "" INT TERM HUP; touch ready.$PMIX_RANK; while :; do sleep 1; done')
        barrier = self.script('barrier', f'touch ready.$PMIX_RANK; exec {PROBE} 9:none')
        for number, code in self.ends.items():
            for program in (spin, asleep, wrapper, deaf, barrier):
                job = self.start('-n', 2, '--grace', 1, program)
                self.wait_for_files(['ready.0', 'ready.1'])
                job.send_signal(number)
                result = self.finish(job, limit_s=20)
                self.assertEqual((result.code, result.err), (code, ''), (program, result))
                self.nothing_left()
                for rank in range(2):
                    os.unlink(os.path.join(self.directory, f'ready.{rank}'))

    def test_each_rank_hears_it_once_and_has_time(self):
        for number, code in self.ends.items():
            job = self.listeners('ends', '1')
            job.send_signal(number)
            result = self.finish(job)
            self.assertEqual(result.code, code)
            for rank in range(2):
                self.assertEqual(self.read(f'heard.{rank}'), number.name + '\n')
                self.assertTrue(os.path.exists(os.path.join(self.directory, f'heard.{rank}.saved')), result)
            for name in os.listdir(self.directory):
                if name.startswith(('heard', 'ready')):
                    os.unlink(os.path.join(self.directory, name))

    def test_grace_can_be_set(self):
        job = self.listeners('ends', '1000', flags=('--grace', '0.3'))
        job.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(job, limit_s=20).code, 143)
        self.nothing_left()

    def test_second_interrupt_kills_at_once(self):
        job = self.listeners('ends', '1000', flags=('--grace', '1000'))
        job.send_signal(signal.SIGINT)
        self.wait_for_files(['heard.0', 'heard.1'])
        job.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(job, limit_s=20).code, 130)
        self.nothing_left()

    def test_interrupt_from_a_background_shell(self):
        # a shell without job control starts background jobs with SIGINT ignored
        self.python('listener', LISTENER)
        shell = subprocess.Popen(['sh', '-c', f'"{WEFTRUN}" -n 1 ./listener ends 0 & echo $!; wait $!; echo code $?'], stdout=subprocess.PIPE,
                                 text=True, env=self.environment(), cwd=self.directory)
        pid = int(shell.stdout.readline())
        self.wait_for_files(['ready.0'])
        os.kill(pid, signal.SIGINT)
        self.assertEqual(shell.communicate(timeout=HANG_S)[0], 'code 130\n')

    def test_interrupt_of_the_whole_group_is_heard_once(self):
        # as a terminal sends it: both processes of the launcher get it, and neither may hide it from the other
        for _ in range(times(10, 200)):
            job = self.start('-n', 1, 'sh', '-c', 'trap "echo heard; exit 3" INT; echo ready; while :; do sleep 0.01; done', start_new_session=True)
            job.stdout.readline()
            os.killpg(job.pid, signal.SIGINT)
            result = self.finish(job)
            self.assertEqual((result.code, result.out), (130, 'heard\n'), result)

    def test_user_signals_are_forwarded_and_the_job_goes_on(self):
        job = self.listeners()
        heard = []
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH):
            job.send_signal(number)
            heard.append(number.name)
            self.wait_for(lambda: all(self.heard(rank) == heard for rank in range(2)), f'{heard} heard')
        open(os.path.join(self.directory, 'go'), 'w').close()
        self.assertEqual(self.finish(job).code, 0)

    def heard(self, rank):
        try:
            return self.read(f'heard.{rank}').split()
        except FileNotFoundError:
            return []

    def states(self, pids):
        found = []
        for pid in pids:
            with open(f'/proc/{pid}/stat') as file:
                found.append(file.read().rsplit(')', 1)[1].split()[0])
        return found

    def test_stop_and_continue(self):
        # not a shell: one that is stopped between vfork and exec of its child never looks stopped itself
        waiting = 'import os, time\nprint(os.getpid(), flush=True)\nwhile not os.path.exists("go"): time.sleep(0.05)'
        job = self.start('-n', 2, sys.executable, '-c', waiting)
        pids = [int(job.stdout.readline()) for _ in range(2)]
        job.send_signal(signal.SIGTSTP)
        self.wait_for(lambda: self.states([*pids, job.pid]) == ['T'] * 3, 'ranks and launcher stopped')
        job.send_signal(signal.SIGCONT)
        self.wait_for(lambda: 'T' not in self.states([*pids, job.pid]), 'ranks and launcher running')
        open(os.path.join(self.directory, 'go'), 'w').close()
        self.assertEqual(self.finish(job).code, 0)

    def test_time_limit(self):
        for flags, environment in ((['--timeout', '0.5'], {}), ([], {'MPIEXEC_TIMEOUT': '1'})):
            for program in (['sleep', '1000'], [PROBE, '9:none'], ['sh', '-c', 'sleep 1000 & wait']):
                result = self.expect(124, '-n', 2, *flags, *program, environment=environment)
                self.assertEqual(len(result.err.splitlines()), 1)
                self.assertIn('time limit', result.err)
        self.assertEqual(self.expect(0, '--timeout', 100, 'true').err, '')

    def test_no_hang_up(self):
        job = self.start('-n', 1, 'sh', '-c', 'touch ready; while [ ! -e go ]; do sleep 0.05; done', prefix=('nohup',))
        self.wait_for_files(['ready'])
        job.send_signal(signal.SIGHUP)
        open(os.path.join(self.directory, 'go'), 'w').close()
        self.assertEqual(self.finish(job).code, 0)


if __name__ == '__main__':
    main()
