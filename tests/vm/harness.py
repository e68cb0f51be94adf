# Common ground of the tests here: runs guests.py in a session and a temporary folder of its own and looks for what is left behind.
# Where guests can't run, the tests end with 77 (skipped) and say what to install; WEFT_VM_MACHINE=qemu runs them in QEMU.
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINE = os.environ.get('WEFT_VM_MACHINE', 'uml')
HANG_S = 600
LIMIT_S = 240  # of a command; a loaded machine is slow
CANNOT_RUN = 77

# Who runs the tests may ignore these (a shell's background), and ignoring is inherited.
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


def session_processes(session):
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/stat') as file:
                fields = file.read().rsplit(')', 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != 'Z':
            found.append(int(pid))
    return found


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out.decode(errors='replace'), err.decode(errors='replace')

    def __str__(self):
        return f'exit code {self.code}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-3000:]}'


class GuestTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='weft-vm-test-')
        self.temporary = f'{self.folder}/tmp'
        os.mkdir(self.temporary)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name, text):
        path = f'{self.folder}/{name}'
        with open(path, 'w') as file:
            file.write(textwrap.dedent(text))
        return path

    def start(self, *arguments):
        command = [sys.executable, f'{HERE}/guests.py', f'--{MACHINE}', '--time-limit', str(LIMIT_S), *map(str, arguments)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                env=os.environ | {'TMPDIR': self.temporary, 'VM': HERE}, start_new_session=True)

    def finish(self, process):
        """Its end; nothing of it is left."""
        try:
            out, err = process.communicate(timeout=HANG_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate()
            self.fail(f'no end within {HANG_S} s\n{Result(None, out, err)}')
        result = Result(process.returncode, out, err)
        self.wait_for(lambda: not session_processes(process.pid) and not os.listdir(self.temporary), 'nothing left behind')
        return result

    def expect(self, code, *arguments):
        result = self.finish(self.start(*arguments))
        self.assertEqual(result.code, code, str(result))
        return result

    def batch(self, text, *arguments, code=0):
        """Lines of shell, run in step in one boot."""
        return self.expect(code, *arguments, '--batch', self.file('batch', text))

    def wait_for(self, condition, what, limit_s=60):
        end = time.monotonic() + limit_s
        while not condition():
            if time.monotonic() > end:
                self.fail(f'{what}: not within {limit_s} s')
            time.sleep(0.02)


def main():
    probe = subprocess.run([sys.executable, f'{HERE}/guests.py', f'--{MACHINE}', '--', 'true'], stdin=subprocess.DEVNULL)
    if probe.returncode == CANNOT_RUN:
        sys.exit(CANNOT_RUN)
    unittest.main(verbosity=2)
