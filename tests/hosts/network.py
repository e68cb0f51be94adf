# Network namespaces as hosts: each has an address on a common switch and nothing else of the network; an agent is started in one
# by `ip netns exec`. A test file that can't have them says so and is skipped (exit code 77).
import os
import shutil
import subprocess
import sys
import unittest
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'launch'))
from harness import LaunchTest  # noqa: E402

HOSTS = ('a', 'b', 'c')


def ip(*words):
    return subprocess.run(['ip', *words], capture_output=True, text=True)


class Network:
    """Hosts a, b, c at 10.99.0.1 to .3, on a bridge that has a namespace of its own."""
    def __init__(self):
        self.prefix = f'hosts-{uuid.uuid4().hex[:8]}'
        self.switch = f'{self.prefix}-switch'
        try:
            self.build()
        except RuntimeError:
            self.remove()
            raise

    def build(self):
        self.make(self.switch)
        self.do('-n', self.switch, 'link', 'add', 'bridge', 'type', 'bridge')
        self.do('-n', self.switch, 'link', 'set', 'bridge', 'up')
        for number, host in enumerate(HOSTS, 1):
            name = self.name(host)
            self.make(name)
            self.do('link', 'add', 'eth0', 'netns', name, 'type', 'veth', 'peer', 'name', host, 'netns', self.switch)
            self.do('-n', self.switch, 'link', 'set', 'dev', host, 'master', 'bridge', 'up')
            self.do('-n', name, 'address', 'add', f'10.99.0.{number}/24', 'dev', 'eth0')
            self.do('-n', name, 'link', 'set', 'eth0', 'up')

    def name(self, host):
        return f'{self.prefix}-{host}'

    def make(self, name):
        self.do('netns', 'add', name)
        self.do('-n', name, 'link', 'set', 'lo', 'up')

    def do(self, *words):
        done = ip(*words)
        if done.returncode != 0:
            raise RuntimeError(f'ip {" ".join(words)}: {done.stderr.strip()}')

    def plug(self, host, state):
        self.do('-n', self.switch, 'link', 'set', 'dev', host, state)

    def remove(self):
        for host in (*HOSTS, 'switch'):
            ip('netns', 'delete', self.name(host))


network = None


class HostsTest(LaunchTest):
    """Jobs on the hosts: on('a:2,b:2', ...) are the arguments of one."""
    agent = property(lambda self: f'ip netns exec {network.prefix}-%h')

    def on(self, hosts, *arguments):
        return ('--hosts', hosts, '--agent', self.agent, *arguments)

    def one_line(self, result, *words):
        self.assertEqual(len(result.err.splitlines()), 1, result)
        for word in words:
            self.assertIn(word, result.err)


def main():
    global network
    missing = None if shutil.which('ip') else 'the command ip is missing (package iproute2)'
    if missing is None:
        try:
            network = Network()
        except RuntimeError as problem:
            missing = f'network namespaces are not to be had here ({problem}); root has them'
    if missing:
        print(f'SKIPPED: {missing}', file=sys.stderr)
        sys.exit(77)
    try:
        program = unittest.main(module='__main__', verbosity=2, exit=False)
    finally:
        network.remove()
    sys.exit(not program.result.wasSuccessful())
