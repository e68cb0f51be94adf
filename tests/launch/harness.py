# Common ground of the launch tests: runs weftrun in a temporary directory of its own and looks for what is left behind.
# Started by meson with WEFTRUN and WEFT_PROBE (a program that only boots); WEFT_TEST_FULL=1 repeats as often as the
# pain cases say. Every wait has a generous limit that only catches a hang; nothing here judges by the clock.
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import uuid

WEFTRUN = os.environ['WEFTRUN']
PROBE = os.environ['WEFT_PROBE']
FULL = os.environ.get('WEFT_TEST_FULL') == '1'
HANG_S = 60
MARK = 'LAUNCH_TEST_MARK'


# Who runs the tests may ignore these (nohup, a shell's background), and ignoring is inherited.
for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


def times(quick, full):
    return full if FULL else quick


def marked_processes(mark):
    """Processes that carry the mark in their environment: everything a run started, wherever it has gone."""
    wanted = f'{MARK}={mark}'.encode()
    found = []
    for name in os.listdir('/proc'):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f'/proc/{name}/environ', 'rb') as file:
                if wanted in file.read().split(b'\0'):
                    with open(f'/proc/{name}/stat') as stat:
                        if stat.read().rsplit(')', 1)[1].split()[0] != 'Z':
                            found.append(int(name))
        except OSError:
            pass
    return found


class Result:
    def __init__(self, code, out, err):
        self.code, self.out_bytes, self.err_bytes = code, out, err
        self.out, self.err = out.decode(errors='replace'), err.decode(errors='replace')

    def __str__(self):
        return f'exit code {self.code}\n--- stdout\n{self.out[-2000:]}\n--- stderr\n{self.err[-2000:]}'


class LaunchTest(unittest.TestCase):
    def setUp(self):
        self.mark = uuid.uuid4().hex
        self.directory = tempfile.mkdtemp(prefix='launch-test-')
        self.temporary = os.path.join(self.directory, 'tmp')
        os.mkdir(self.temporary)

    def tearDown(self):
        left = marked_processes(self.mark)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.directory, ignore_errors=True)
        self.assertEqual(left, [], 'processes left behind')

    def environment(self, extra=None):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(('WEFT', 'PMI', 'OMPI_', 'SLURM_'))}
        environment.update({'TMPDIR': self.temporary, MARK: self.mark})
        environment.update(extra or {})
        return {name: value for name, value in environment.items() if value is not None}

    def start(self, *arguments, environment=None, prefix=(), program=WEFTRUN, **options):
        command = [*prefix, program, *map(str, arguments)]
        options = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'cwd': self.directory} | options
        return subprocess.Popen(command, env=self.environment(environment), **options)

    def finish(self, process, data=None, limit_s=HANG_S):
        try:
            out, err = process.communicate(data, timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f'no end within {limit_s} s\n{Result(None, out or b"", err or b"")}')
        return Result(process.returncode, out or b'', err or b'')

    def run_job(self, *arguments, data=None, limit_s=HANG_S, **options):
        if data is not None:
            options['stdin'] = subprocess.PIPE
        return self.finish(self.start(*arguments, **options), data, limit_s)

    def expect(self, code, *arguments, **options):
        result = self.run_job(*arguments, **options)
        self.assertEqual(result.code, code, f'{arguments}: {result}')
        self.nothing_left()
        return result

    def nothing_left(self):
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertEqual(marked_processes(self.mark), [])

    def script(self, name, text, interpreter='#!/bin/sh'):
        path = os.path.join(self.directory, name)
        with open(path, 'w') as file:
            file.write(interpreter + '\n' + textwrap.dedent(text))
        os.chmod(path, 0o755)
        return path

    def python(self, name, text):
        return self.script(name, text, '#!' + sys.executable)

    def read_slowly(self, job):
        """All that the job writes to its pipe, by a reader who can't keep up."""
        total = b''
        while chunk := os.read(job.stdout.fileno(), 1 << 20):
            total += chunk
            if len(total) < 1 << 20:
                time.sleep(0.01)
        return total

    def wait_for(self, condition, what, limit_s=HANG_S):
        end = time.monotonic() + limit_s
        while not condition():
            if time.monotonic() > end:
                self.fail(f'{what}: not within {limit_s} s')
            time.sleep(0.01)

    def wait_for_files(self, names):
        self.wait_for(lambda: all(os.path.exists(os.path.join(self.directory, name)) for name in names), f'files {names}')

    def read(self, name):
        with open(os.path.join(self.directory, name)) as file:
            return file.read()


def main():
    unittest.main(verbosity=2)
