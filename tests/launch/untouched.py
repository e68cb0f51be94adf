# What booting must leave as it was. Pain case FK03.
import os
import signal
import subprocess

from harness import HANG_S, LaunchTest, main

STATE = os.environ['WEFT_STATE_PROBE']


class Untouched(LaunchTest):
    def test_in_a_job_and_alone(self):
        result = self.expect(0, '-n', 2, STATE)
        self.assertEqual(result.out.count('unchanged'), 2, result)
        done = subprocess.run([STATE], env=self.environment(), capture_output=True, text=True, timeout=HANG_S)
        self.assertEqual((done.returncode, done.stdout), (0, 'unchanged\n'), done)

    def test_hang_up_ends_the_program(self):
        result = self.expect(129, '-n', 2, STATE, 'hang-up')
        self.assertIn('SIGHUP', result.err)


if __name__ == '__main__':
    main()
