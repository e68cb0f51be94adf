# Ranks under launchers that are not ours: plain PMIx clients under Open MPI's mpirun and PRRTE's prterun, a loud warning
# under one that has no PMIx. Skipped where they aren't installed. Pain case LA26.
import os
import shutil
import subprocess
import unittest

from harness import HANG_S, LaunchTest, PROBE, main, marked_processes

RANK = os.environ['WEFT_MPI_RANK']
OPEN_MPI = shutil.which('mpirun.openmpi')
HYDRA = shutil.which('mpiexec.hydra')
PRRTE = shutil.which('prterun')


class Launchers(LaunchTest):
    as_root = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}

    def run_under(self, *command):
        return subprocess.run(list(map(str, command)), env=self.environment(self.as_root),
                              capture_output=True, text=True, cwd=self.directory, timeout=HANG_S)

    def check_pmix(self, *launcher):
        for ranks in (1, 2, 5):
            for program in ([PROBE], [RANK, 'allreduce', '99:none']):
                done = self.run_under(*launcher, '-n', ranks, *program)
                self.assertEqual((done.returncode, done.stderr), (0, ''), done)
                self.assertEqual(sorted(line.split(',')[0] for line in done.stdout.splitlines()), [f'rank {i} of {ranks}' for i in range(ranks)])
        self.assertEqual(self.run_under(*launcher, '-n', 2, RANK, 'barrier', '1:abort=7').returncode, 7)
        job = subprocess.Popen([*launcher, '-n', '2', RANK, 'barrier', '1:late=100000'], env=self.environment(self.as_root), stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, cwd=self.directory)
        for _ in range(2):
            job.stdout.readline()
        job.kill()
        job.communicate()
        self.wait_for(lambda: marked_processes(self.mark) == [], 'ranks gone after their launcher was killed', 10)

    @unittest.skipUnless(OPEN_MPI, "no Open MPI's mpirun")
    def test_open_mpi(self):
        self.check_pmix(OPEN_MPI, '--oversubscribe')

    @unittest.skipUnless(PRRTE, 'no prterun')
    def test_prrte(self):
        self.check_pmix(PRRTE, '--allow-run-as-root', '--map-by', ':OVERSUBSCRIBE')

    @unittest.skipUnless(HYDRA, 'no hydra')
    def test_hydra_warns(self):
        done = self.run_under(HYDRA, '-n', 2, RANK)
        self.assertEqual((done.returncode, done.stdout), (0, 'rank 0 of 1\nrank 0 of 1\n'), done)
        self.assertEqual(done.stderr.count('PMI_SIZE=2 announces 2 processes'), 2, done)


if __name__ == '__main__':
    main()
