# How a job ends: exit codes, the one line that says why, and nothing left. Pain cases LA12, LA15 (what is left), FA01.
import os
import re
import signal
import subprocess
import time

from harness import HANG_S, LaunchTest, PROBE, WEFTRUN, main, marked_processes, times

LINE = re.compile(r'weftrun: rank (\d+) \(pid \d+\) on \S+: (.*)')


class ExitCodes(LaunchTest):
    def repeat(self, code, *arguments):
        for _ in range(times(8, 100)):
            result = self.expect(code, *arguments)
            lines = result.err.splitlines()
            self.assertEqual(len(lines), 1, result)
            self.assertRegex(lines[0], LINE)
        return LINE.match(lines[0])

    def test_all_exit_3(self):
        self.repeat(3, '-n', 3, PROBE, 'exit=3')

    def test_one_exits_3(self):
        line = self.repeat(3, '-n', 3, PROBE, '1:exit=3')
        self.assertEqual(line[1], '1')

    def test_segmentation_fault(self):
        line = self.repeat(139, '-n', 3, PROBE, '2:segv')
        self.assertEqual(line[1], '2')
        self.assertIn('SIGSEGV', line[2])

    def test_sigkill(self):
        line = self.repeat(137, '-n', 3, PROBE, '0:kill=9')
        self.assertEqual(line[1], '0')
        self.assertIn('SIGKILL', line[2])

    def test_abort_7(self):
        line = self.repeat(7, '-n', 3, PROBE, '1:abort=7')
        self.assertIn('code 7: the probe was told to abort', line[2])

    def test_abort_0_is_no_success(self):
        self.repeat(1, '-n', 3, PROBE, '1:abort=0')

    def test_all_abort(self):
        self.repeat(7, '-n', 3, PROBE, 'abort=7')

    def test_a_lost_rank_is_told_of_not_who_noticed(self):
        for noticed, dead in ((0, 1), (1, 0)):
            programs = ['-n', 1, PROBE, f'{noticed}:lost={dead}'], ['-n', 1, PROBE, f'{dead}:late=300']
            first, second = programs if noticed == 0 else programs[::-1]
            line = self.repeat(137, *first, ':', *second)
            self.assertEqual(line[1], str(dead))
            self.assertIn('SIGKILL', line[2])

    def test_a_rank_that_is_lost_and_lives(self):
        line = self.repeat(1, '-n', 3, PROBE, '1:lost=2')
        self.assertEqual(line[1], '1')
        self.assertIn('code 1: the probe has lost rank 2', line[2])

    def test_exit_0_without_finalize(self):
        line = self.repeat(1, '-n', 3, PROBE, '1:exit=0')
        self.assertIn('without MPI_Finalize', line[2])

    def test_plain_programs_pass(self):
        self.assertEqual(self.expect(0, '-n', 3, 'true').err, '')
        self.assertEqual(len(self.expect(5, '-n', 3, 'sh', '-c', 'exit 5').err.splitlines()), 1)

    def test_failure_after_goodbye_lets_the_others_end(self):
        # rank 0 leaves well, then fails; rank 1 needs longer and must still get its words out
        script = self.script('late', f'''
            {PROBE} || exit 9
            if [ $PMIX_RANK = 0 ]; then exit 4; fi
            sleep 1; echo finished
            ''')
        self.assertIn('finished', self.expect(4, '-n', 2, script).out)

    def test_missing_program(self):
        for name in ('./no-such-program', 'no-such-program', '/no/such/program'):
            result = self.expect(127, '-n', 2, name)
            self.assertEqual(len(result.err.splitlines()), 1)
            self.assertIn(name.strip('./'), result.err)

    def test_not_executable(self):
        open(os.path.join(self.directory, 'data'), 'w').close()
        self.assertIn('not executable', self.expect(126, './data').err)

    def test_missing_interpreter(self):
        path = self.script('broken', 'true', '#!/no/such/interpreter')
        result = self.run_job('-n', 2, path)
        self.assertNotEqual(result.code, 0)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.nothing_left()

    def test_last_words_come_before_the_verdict(self):
        result = self.run_job('-n', 2, 'sh', '-c', 'echo last words >&2; exit 3', stderr=subprocess.STDOUT)
        self.assertIn('last words', result.out.splitlines()[0])
        self.assertIn('exited with code 3', result.out)


class NothingLeft(LaunchTest):
    def test_mixed_endings(self):
        for round in range(times(3, 10)):
            for end, code in (('none', 0), ('1:segv', 139), ('0:kill=9', 137), ('1:abort=9', 9), ('exit=0', 1)):
                self.expect(code, '-n', 2, PROBE, end)

    def test_two_jobs_at_once(self):
        jobs = [self.start('-n', 2, PROBE) for _ in range(4)]
        for job in jobs:
            result = self.finish(job)
            self.assertEqual((result.code, len(result.out.splitlines())), (0, 2), result)
        self.nothing_left()

    def test_daemons_of_ranks_are_ended(self):
        self.expect(0, '-n', 2, 'sh', '-c', 'setsid sleep 1000 & setsid sh -c "setsid sleep 1000 & sleep 1000" & sleep 0.2')

    def test_daemons_end_with_a_failed_rank(self):
        self.expect(137, '-n', 2, 'sh', '-c', 'setsid sleep 1000 & sleep 0.2; kill -9 $$')

    def killed_launcher(self, which, command):
        """Both processes of the launcher in turn: the one that was started, and the one that does the work."""
        job = self.start('-n', 3, *command)
        for _ in range(3):
            job.stdout.readline()
        with open(f'/proc/{job.pid}/task/{job.pid}/children') as file:
            worker = int(file.read().split()[0])
        os.kill(job.pid if which == 'guard' else worker, signal.SIGKILL)
        self.finish(job)
        self.wait_for(lambda: marked_processes(self.mark) == [] and not os.listdir(self.temporary), 'all gone after the launcher was killed', 5)
        return job.returncode

    def test_launcher_killed(self):
        wrapper = self.script('wrapper', f'{PROBE} 7:none & setsid sleep 1000 & wait')
        for _ in range(times(2, 20)):
            for command in ([PROBE, '7:none'], [wrapper]):
                self.assertEqual(self.killed_launcher('guard', command), -9)
                self.assertEqual(self.killed_launcher('worker', command), 137)

    def test_stale_directories_are_reaped(self):
        job = self.start('-n', 1, PROBE, '7:none', start_new_session=True)
        job.stdout.readline()
        os.killpg(job.pid, signal.SIGKILL)          # guard and worker at one blow
        self.finish(job)
        self.wait_for(lambda: marked_processes(self.mark) == [], 'ranks gone', 5)
        left = os.listdir(self.temporary)
        self.assertEqual(len(left), 1)
        self.age(os.path.join(self.temporary, left[0]))
        stranger = os.path.join(self.temporary, f'weft-{os.getuid()}-1-abcdef')
        other = os.path.join(self.temporary, f'weft-{os.getuid() + 1}-1-abcdef')
        os.mkdir(stranger)      # young: perhaps of a launcher that is starting
        os.mkdir(other)         # of somebody else
        self.assertEqual(self.run_job('true').code, 0)
        self.assertEqual(sorted(os.listdir(self.temporary)), sorted(map(os.path.basename, (stranger, other))))

    def age(self, path):
        """The reaper spares directories younger than ten seconds by their change time, which can't be set: wait."""
        time.sleep(max(0, 11 - (time.time() - os.stat(path).st_ctime)))

    def test_running_job_is_not_reaped(self):
        job = self.start('-n', 1, 'sleep', '1000')
        self.wait_for(lambda: os.listdir(self.temporary), 'directory of the first job')
        first = os.listdir(self.temporary)
        self.assertEqual(self.run_job('true').code, 0)
        self.assertEqual(os.listdir(self.temporary), first)
        job.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(job).code, 143)
        self.nothing_left()

    def test_reader_of_output_goes_away(self):
        done = subprocess.run(['sh', '-c', f'"{WEFTRUN}" -n 2 yes | head -1'], env=self.environment(), capture_output=True, timeout=HANG_S)
        self.assertEqual((done.stdout, done.stderr), (b'y\n', b''))
        self.wait_for(lambda: not os.listdir(self.temporary), 'the job gone')


if __name__ == '__main__':
    main()
