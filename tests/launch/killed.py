# A rank is killed in the middle of whatever a link can be at: the job ends with its exit code, in one line that names it and not the
# rank that noticed, and nothing is left.
import os
import random

from harness import LaunchTest, main, times

VICTIM = os.environ['WEFT_VICTIM']
DOINGS = [f'{way}-{kind}' for way in ('in', 'out')
          for kind in ('opening', 'idle', 'eager', 'middling', 'get', 'fragments', 'credit', 'atomic')]


class Killed(LaunchTest):
    def killed(self, fabric, paradigm):
        chance = random.Random(f'{fabric} {paradigm}')
        for doing in DOINGS:
            for _ in range(times(1, 20)):
                after_us = int(1000 * 10 ** chance.uniform(0, 2))
                with self.subTest(fabric=fabric, paradigm=paradigm, doing=doing, after_us=after_us):
                    environment = {'WEFT_FABRICS': fabric, 'WEFT_PARADIGM': paradigm, 'WEFT_SHARED_COLLECTIVES': '0'}
                    result = self.expect(137, '-n', 3, VICTIM, doing, after_us, environment=environment)
                    self.assertRegex(result.err, r'^weftrun: rank 1 \(pid \d+\) on \S+: killed by signal 9 [^\n]*\n$')

    def test_shm(self):
        for paradigm in ('auto', 'read-read', 'write-read', 'send-send'):
            self.killed('shm', paradigm)

    def test_tcp(self):
        for paradigm in ('write-write', 'read-read', 'send-send', 'socket-socket'):
            self.killed('tcp', paradigm)


if __name__ == '__main__':
    main()
