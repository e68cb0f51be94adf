# One of those that make up a job is gone without a word: an agent, a host, the network, the launcher. The job ends by itself,
# on every host, names the host, and leaves nothing.
import os
import signal
import subprocess
import sys
import time

import network
from network import HostsTest, main
from harness import MARK, PROBE, marked_processes, times


def command_of(pid):
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as file:
            return file.read()
    except OSError:
        return b''


def parent_of(pid):
    with open(f'/proc/{pid}/stat') as file:
        return int(file.read().rsplit(')', 1)[1].split()[1])


class LostTest(HostsTest):
    def all_gone(self):
        self.wait_for(lambda: marked_processes(self.mark) == [] and not os.listdir(self.temporary), 'all gone, on every host')


class Lost(LostTest):
    def running(self, *flags, hosts='a:2,b:2', program=(PROBE, '9:none'), ranks=4, agent=None):
        """A job whose ranks wait for ever, and the pids of its agents: (guard, worker) by host."""
        job = self.start('--hosts', hosts, '--agent', agent or self.agent, *flags, *program)
        for _ in range(ranks):
            job.stdout.readline()
        agents = {}
        ours = [pid for pid in marked_processes(self.mark) if b'--as-agent' in command_of(pid)]
        for pid in ours:
            if parent_of(pid) in ours:
                agents[self.host_of(pid)] = (parent_of(pid), pid)
        return job, agents

    def host_of(self, pid):
        name = subprocess.run(['ip', 'netns', 'identify', str(pid)], capture_output=True, text=True).stdout.strip()
        return name.rsplit('-', 1)[-1]

    def lost(self, job, host, *words, code=1):
        result = self.finish(job)
        self.assertEqual(result.code, code, result)
        verdict = [line for line in result.err.splitlines() if f'host {host}: ' in line]
        self.assertTrue(verdict, result)
        for word in words:
            self.assertIn(word, result.err)
        self.all_gone()
        return result


    def test_agent_killed(self):
        daemons = ('sh', '-c', f'setsid sleep 1000 & exec {PROBE} 9:none')
        for _ in range(times(2, 20)):
            for program in ((PROBE, '9:none'), daemons):
                for which in (0, 1):
                    for host in ('a', 'b'):
                        job, agents = self.running(program=program)
                        os.kill(agents[host][which], signal.SIGKILL)
                        self.lost(job, host)

    def test_agent_told_to_end(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            job, agents = self.running()
            os.kill(agents['b'][0], number)
            self.lost(job, 'b', f'told to end by {number.name}')

    def test_whole_host_killed(self):
        job, agents = self.running()
        for pid in marked_processes(self.mark):
            if self.host_of(pid) == 'b':
                os.kill(pid, signal.SIGKILL)
        result = self.finish(job)
        self.assertEqual(result.code, 1, result)
        self.assertIn('host b: ', result.err)
        self.wait_for(lambda: marked_processes(self.mark) == [], 'all gone')
        self.assertLessEqual(len(os.listdir(self.temporary)), 1)     # what the killed host had; its next job removes it

    def test_host_hangs(self):
        job, agents = self.running('--host-timeout', '1')
        for pid in agents['b']:
            os.kill(pid, signal.SIGSTOP)
        self.lost(job, 'b', 'nothing was heard of it for 1 s')

    def test_host_hangs_from_the_start(self):
        job = self.start('--host-timeout', '1', '--hosts', 'a,b', '--agent', f'[ %h = b ] && exec sleep 1000; {self.agent}', PROBE)
        self.lost(job, 'b', 'nothing was heard of it for 1 s')

    def test_host_out_of_reach(self):
        for command, word in (('exit 255', 'code 255'), ('kill -9 $$', 'SIGKILL'), ('no-such-command', 'no-such-command'),
                              ('echo no route to host >&2; exit 3', 'no route to host')):
            job = self.start('--hosts', 'a,b', '--agent', f'[ %h = a ] || {{ {command}; }} && {self.agent}', PROBE)
            result = self.lost(job, 'b', "can't be reached", word)
            self.assertEqual(result.out, '', 'no rank starts where a host is missing')

    def test_default_agent_is_ssh(self):
        self.script('ssh', 'echo "$@" >> calls; exit 255')
        path = {'PATH': self.directory + ':' + os.environ['PATH']}
        result = self.run_job('--hosts', 'x,y', 'true', environment=path)
        self.assertEqual(result.code, 1)
        self.assertRegex(self.read('calls'), r'-o BatchMode=yes [xy] /\S+ --as-agent\n')

    def test_launcher_killed(self):
        for victims in (['guard'], ['worker'], ['guard', 'worker']):
            job, _ = self.running()
            with open(f'/proc/{job.pid}/task/{job.pid}/children') as file:
                pids = {'guard': job.pid, 'worker': int(file.read().split()[0])}
            for name in victims:
                os.kill(pids[name], signal.SIGKILL)
            self.finish(job)
            self.all_gone()

    def test_launcher_hangs(self):
        job, _ = self.running('--host-timeout', '1')
        with open(f'/proc/{job.pid}/task/{job.pid}/children') as file:
            worker = int(file.read().split()[0])
        os.kill(worker, signal.SIGSTOP)
        self.wait_for(lambda: not any(command_of(pid).startswith(PROBE.encode()) for pid in marked_processes(self.mark)), 'ranks gone')
        os.kill(worker, signal.SIGCONT)
        self.assertEqual(self.finish(job).code, 1)
        self.all_gone()


# An agent command that goes over the network, as ssh does: in the host a listener gives each caller the command it sends.
LISTENER = '''
import socket, subprocess, sys, threading
def pump(source, sink, end):
    while chunk := source(65536): sink(chunk)
    end()
def serve(peer):
    line = b''
    while not line.endswith(b'\\n'): line += peer.recv(1)
    child = subprocess.Popen(['sh', '-c', line.decode()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    threading.Thread(target=pump, args=(peer.recv, child.stdin.write, child.stdin.close), daemon=True).start()
    pump(child.stdout.read, peer.sendall, lambda: peer.shutdown(socket.SHUT_WR))
listener = socket.create_server(('', 2222))
print('listening', flush=True)
while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
'''
CALLER = '''
import os, socket, sys, threading
peer = socket.create_connection((sys.argv[1], 2222))
peer.sendall(' '.join(sys.argv[2:]).encode() + b'\\n')
def forth():
    while chunk := os.read(0, 65536): peer.sendall(chunk)
    peer.shutdown(socket.SHUT_WR)
threading.Thread(target=forth, daemon=True).start()
while chunk := peer.recv(65536):
    while chunk: chunk = chunk[os.write(1, chunk):]
'''


class NetworkGone(LostTest):
    def setUp(self):
        super().setUp()
        self.listeners = []
        listener = self.python('listener', LISTENER)
        for host in network.HOSTS:
            command = ['ip', 'netns', 'exec', network.network.name(host), listener]
            self.listeners.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                                   env=self.environment({MARK: 'of the network'})))
            self.listeners[-1].stdout.readline()
        caller = self.python('caller', CALLER)
        self.script('call', f'case $1 in a) n=1;; b) n=2;; c) n=3;; esac; shift; exec {caller} 10.99.0.$n "$@"')

    def tearDown(self):
        for listener in self.listeners:
            listener.kill()
            listener.communicate()
        network.network.plug('b', 'up')
        super().tearDown()

    def launcher(self, *arguments):
        """weftrun runs on host a, too, and calls the others."""
        return self.start('--hosts', 'b:2,c:2', '--agent', './call %h', *arguments, prefix=('ip', 'netns', 'exec', network.network.name('a')))

    def test_job_over_the_network(self):
        result = self.finish(self.launcher(PROBE))
        self.assertEqual((result.code, len(result.out.splitlines()), result.err), (0, 4, ''), result)

    def test_unplugged(self):
        job = self.launcher('--host-timeout', '2', PROBE, '9:none')
        for _ in range(4):
            job.stdout.readline()
        network.network.plug('b', 'down')
        begin = time.monotonic()
        result = self.finish(job)
        self.assertEqual(result.code, 1, result)
        self.assertIn('host b: nothing was heard of it for 2 s', result.err)
        self.all_gone()
        self.assertGreater(time.monotonic() - begin, 1)


if __name__ == '__main__':
    main()
