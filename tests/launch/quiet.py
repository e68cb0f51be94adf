# What libraries below the launcher and the ranks have to say of their own accord stays unheard, unless somebody wants it. A
# rank killed while it connects makes the PMIx server log an error, on whichever stderr it is given.
import os
import random
import signal
import time

from harness import LaunchTest, PROBE, main, times


def parent_of(pid):
    with open(f'/proc/{pid}/stat') as file:
        return int(file.read().rsplit(')', 1)[1].split()[1])


class Quiet(LaunchTest):
    def killed_while_connecting(self, *flags, environment=None):
        """The server sleeps while the ranks knock, and finds them dead when it answers."""
        ranks = 4
        script = self.script('late', f'echo $$; while [ ! -e go ]; do sleep 0.01; done; exec {PROBE}')
        job = self.start('-n', ranks, *flags, script, environment=environment)
        pids = [int(job.stdout.readline()) for _ in range(ranks)]
        worker = parent_of(pids[0])
        os.kill(worker, signal.SIGSTOP)
        open(os.path.join(self.directory, 'go'), 'w').close()
        self.wait_for(lambda: all(self.sockets(pid) for pid in pids), 'ranks connecting')
        time.sleep(0.2)                                      # connected and asking; were they slower, less would be seen
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        os.kill(worker, signal.SIGCONT)
        result = self.finish(job)
        os.unlink(os.path.join(self.directory, 'go'))
        self.assertEqual(result.code, 137, result)
        self.nothing_left()
        return result.err.splitlines()

    def sockets(self, pid):
        try:
            return [name for name in os.listdir(f'/proc/{pid}/fd') if os.readlink(f'/proc/{pid}/fd/{name}').startswith('socket:')]
        except OSError:
            return []

    def test_server_is_quiet(self):
        for _ in range(times(5, 50)):
            lines = self.killed_while_connecting()
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], r'^weftrun: rank \d \(pid \d+\) on \S+: killed by signal 9')

    def test_server_speaks_when_asked(self):
        for flags, environment in (([], {'WEFT_LOG': 'debug'}), (['--log', 'debug'], None)):
            heard = []
            for _ in range(20):
                heard = [line for line in self.killed_while_connecting(*flags, environment=environment) if 'PMIX ERROR' in line]
                if heard:
                    break
            self.assertTrue(heard, 'the provocation provokes nothing: the other test proves nothing')

    def test_killed_at_any_moment(self):
        seed = random.randrange(1 << 30)
        moments = random.Random(seed)
        for _ in range(times(20, 300)):
            delays = ' '.join(f'{moments.uniform(0, 0.04):.4f}' for _ in range(4))
            script = self.script('killed', f'set -- {delays}; shift $PMIX_RANK; {PROBE} 9:none & sleep $1; kill -9 $!; exit 3')
            result = self.expect(3, '-n', 4, script)
            self.assertEqual(len(result.err.splitlines()), 1, f'seed {seed}: {result}')

    def test_variables_of_the_quiet_stay_inside(self):
        self.assertNotIn('PMIX_OUTPUT', self.expect(0, '-n', 1, 'env').out)
        self.assertNotIn('PMIX_OUTPUT', self.expect(0, '-n', 1, PROBE, 'system=env').out)


if __name__ == '__main__':
    main()
