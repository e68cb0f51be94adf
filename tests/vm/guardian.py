# The guardian outlives the runner, whatever ends that, and then clears up: kills the process groups that it was told of and
# removes the run's folder. Started by Guardian below as  guardian.py FOLDER ; reads "+GROUP" and "-GROUP" lines from stdin, and the
# end of stdin is the end of the runner. An ordinary end takes the same way, so that there is one way only.
import os
import shutil
import signal
import subprocess
import sys


class Guardian:
    """The runner's side of it."""

    def __init__(self, folder):
        self.process = subprocess.Popen([sys.executable, __file__, folder], stdin=subprocess.PIPE, start_new_session=True)

    def tell(self, sign, group):
        self.process.stdin.write(f'{sign}{group}\n'.encode())
        self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def kill_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def main():
    groups = set()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for line in sys.stdin:
        (groups.add if line[0] == '+' else groups.discard)(int(line[1:]))
    for group in groups:
        kill_group(group)
    shutil.rmtree(sys.argv[1], ignore_errors=True)


if __name__ == '__main__':
    main()
