# Starting at all, without flags and under the names and flags people know. Pain cases LA01, LA26, ST01.
import os
import subprocess

from harness import HANG_S, LaunchTest, PROBE, WEFTRUN, main, times


class Start(LaunchTest):
    def test_more_ranks_than_cores_without_flags(self):
        result = self.expect(0, '-n', 5, PROBE)
        self.assertEqual(sorted(line.split(',')[0] for line in result.out.splitlines()), [f'rank {i} of 5' for i in range(5)])
        self.assertEqual(result.err, '')

    def test_ranks_up_to_33(self):
        for ranks in (1, 2, 3, 7, 16, 33):
            self.assertEqual(len(self.expect(0, '-n', ranks, PROBE).out.splitlines()), ranks)

    def test_several_programs(self):
        result = self.expect(0, '-n', 2, '-x', 'WHO=first', 'sh', '-c', 'echo $PMIX_RANK $WHO', ':', '-n', 1, '-x', 'WHO=second',
                             'sh', '-c', 'echo $PMIX_RANK $WHO')
        self.assertEqual(sorted(result.out.splitlines()), ['0 first', '1 first', '2 second'])

    def test_environment_and_directory(self):
        os.mkdir(os.path.join(self.directory, 'there'))
        result = self.expect(0, '-x', 'A=1', '-x', 'B=x=y z', '--env', 'A=2', '--wdir', 'there', 'sh', '-c', 'echo $A "$B"; pwd')
        self.assertEqual(result.out.splitlines(), ['2 x=y z', os.path.realpath(os.path.join(self.directory, 'there'))])
        self.assertIn('NOT_SET_HERE', self.expect(2, '-x', 'NOT_SET_HERE', 'true').err)

    def test_flags_reach_the_runtime(self):
        result = self.expect(0, '--paradigm', 'write-write', '--fabrics', 'shm,tcp', '--spin', '7', '--check', 'env')
        for wanted in ('WEFT_PARADIGM=write-write', 'WEFT_FABRICS=shm,tcp', 'WEFT_SPIN=7', 'WEFT_CHECK=1', 'WEFT_LAUNCHER=weftrun'):
            self.assertIn(wanted, result.out.splitlines())

    def test_names_and_flags_of_others(self):
        for name in ('mpirun', 'mpiexec'):
            link = os.path.join(self.directory, name)
            os.symlink(WEFTRUN, link)
            for flags in (['-n', '2'], ['-np', '2'], ['--oversubscribe', '-np', '2'], ['-genv', 'A', 'b', '-n', '2']):
                done = subprocess.run([link, *flags, 'echo', '-n', 'x'], env=self.environment(), capture_output=True, timeout=HANG_S)
                self.assertEqual((done.returncode, done.stdout.count(b'x')), (0, 2), (name, flags, done))
            done = subprocess.run([link, '--version'], env=self.environment(), capture_output=True, timeout=HANG_S)
            self.assertEqual(done.returncode, 0)
            self.assertIn(b'weft', done.stdout)

    def test_complaints_are_one_line(self):
        for arguments, word in ((['--nonsense', 'true'], '--nonsense'), (['-n', '0', 'true'], '0'), (['-n', '2'], 'no program'),
                                (['--map-by', 'sofa', 'true'], 'sofa'), (['--bind-to', 'sofa', 'true'], 'sofa'),
                                (['--wdir', '/no/such', 'true'], '/no/such')):
            result = self.run_job(*arguments)
            self.assertNotEqual(result.code, 0)
            self.assertEqual(len(result.err.splitlines()), 1, result)
            self.assertIn(word, result.err)

    def test_only_standard_streams_are_inherited(self):
        result = self.expect(0, '-n', 2, 'sh', '-c', 'ls /proc/self/fd | wc -l')
        self.assertEqual(result.out.split(), ['4', '4'])     # 0, 1, 2 and the one that ls reads

    def test_more_ranks_than_open_files(self):
        result = self.expect(0, '-n', 80, 'sh', '-c', 'ulimit -n', prefix=('sh', '-c', 'ulimit -S -n 64; exec "$@"', 'sh'))
        self.assertEqual(result.out.split(), ['64'] * 80)

    def test_closed_standard_streams(self):
        done = subprocess.run(['sh', '-c', f'"{WEFTRUN}" -n 2 true <&- >&- 2>&-'], env=self.environment(), timeout=HANG_S)
        self.assertEqual(done.returncode, 0)


class Alone(LaunchTest):
    def run_alone(self, environment=None):
        return subprocess.run([PROBE], env=self.environment(environment), capture_output=True, text=True, timeout=HANG_S)

    def test_without_a_launcher(self):
        for _ in range(times(20, 100)):
            done = self.run_alone()
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            self.assertIn('rank 0 of 1', done.stdout)
        self.nothing_left()

    def test_alone_never_touches_pmix(self):
        trace = subprocess.run(['strace', '-f', '-e', 'trace=socket,clone,clone3', PROBE], env=self.environment(), capture_output=True, text=True,
                               timeout=HANG_S) if os.path.exists('/usr/bin/strace') else None
        if trace is None:
            self.skipTest('no strace')
        self.assertNotIn('socket(', trace.stderr)
        self.assertNotIn('clone', trace.stderr)

    def test_foreign_variables_warn(self):
        for name in ('PMI_SIZE', 'OMPI_COMM_WORLD_SIZE', 'SLURM_NTASKS'):
            done = self.run_alone({name: '4'})
            self.assertEqual(done.returncode, 0)
            self.assertIn(f'{name}=4 announces 4 processes', done.stderr)
            done = self.run_alone({name: '4', 'WEFT_STRICT': '1'})
            self.assertNotEqual(done.returncode, 0)

    def test_server_out_of_reach(self):
        gone = {'PMIX_NAMESPACE': 'gone', 'PMIX_RANK': '0'}
        self.assertEqual(self.run_alone(gone).returncode, 0)
        done = self.run_alone(gone | {'SLURM_NTASKS': '4'})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('--mpi=pmix', done.stderr)

    def test_launch_from_inside_a_rank(self):
        result = self.expect(0, '-n', 2, PROBE, f'system={WEFTRUN} -n 3 {PROBE}')
        self.assertEqual(sum('of 3' in line for line in result.out.splitlines()), 6, result)
        self.assertEqual(result.err, '')

    def test_launch_under_foreign_variables(self):
        foreign = {'PMI_RANK': '1', 'PMI_SIZE': '7', 'PMIX_NAMESPACE': 'x', 'PMIX_RANK': '3', 'PMIX_SERVER_URI41': 'x.0;tcp4://127.0.0.1:1',
                   'OMPI_COMM_WORLD_SIZE': '7'}
        self.assertEqual(len(self.expect(0, '-n', 2, PROBE, environment=foreign).out.splitlines()), 2)


class Cost(LaunchTest):
    def test_machine_is_read_once(self):
        if not os.path.exists('/usr/bin/strace'):
            self.skipTest('no strace')
        trace = os.path.join(self.directory, 'trace')
        self.expect(0, '-n', 4, 'strace', '-f', '-qq', '-e', 'trace=open,openat', '-o', trace + '.$$', 'true')
        self.expect(0, '-n', 4, 'sh', '-c', f'exec strace -f -qq -e trace=open,openat -o {trace}.$PMIX_RANK {PROBE}')
        for rank in range(4):
            with open(f'{trace}.{rank}') as file:
                self.assertEqual([line for line in file if '/sys/devices' in line or '/sys/bus/pci' in line], [])


if __name__ == '__main__':
    main()
