# The tcp fabric between hosts: it finds the network by itself, decoys notwithstanding (pain LA04), over IPv4 and IPv6, within
# what the option tcp-interfaces allows; a rank that is killed ends the job.
import os
import time

import network
from network import HOSTS, HostsTest, main

EXCHANGE = os.environ['WEFT_EXCHANGE']
SLEEPERS = os.environ['WEFT_SLEEPERS']


class Tcp(HostsTest):
    def each_host(self, *words):
        for host in HOSTS:
            network.network.do('-n', network.network.name(host), *words)

    def exchanged(self, hosts='a:2,b:2', **options):
        environment = {'WEFT_' + name.upper(): value for name, value in options.items()}
        result = self.expect(0, *self.on(hosts, EXCHANGE), environment=environment)
        self.assertEqual((result.out, result.err), ('all right\n', ''), result)

    def test_by_itself(self):
        self.exchanged()
        self.exchanged('a,b:2,c')

    def test_without_shared_memory(self):
        self.exchanged(fabrics='tcp')

    def test_several_sockets(self):
        self.exchanged('a,b', tcp_sockets='3')

    def test_decoys(self):
        """Bridges with the same private address on all hosts, one that leads nowhere with another address, one that is down."""
        self.each_host('link', 'add', 'docker0', 'type', 'bridge')
        self.each_host('address', 'add', '172.17.0.1/16', 'dev', 'docker0')
        self.each_host('link', 'set', 'docker0', 'up')
        self.each_host('link', 'add', 'port0', 'type', 'veth', 'peer', 'name', 'nowhere')      # gives the bridge a carrier
        self.each_host('link', 'set', 'port0', 'master', 'docker0', 'up')
        self.each_host('link', 'add', 'virbr0', 'type', 'bridge')
        self.each_host('address', 'add', '192.168.122.1/24', 'dev', 'virbr0')
        for number, host in enumerate(HOSTS, 1):
            network.network.do('-n', network.network.name(host), 'address', 'add', f'10.11.0.{number}/16', 'dev', 'nowhere')
        self.each_host('link', 'set', 'nowhere', 'up')
        try:
            before = time.monotonic()
            self.exchanged()
            print(f'with decoys {time.monotonic() - before:.1f} s')
        finally:
            for name in ('docker0', 'port0', 'virbr0'):
                self.each_host('link', 'delete', name)

    def test_interfaces(self):
        for chosen in ('eth0', '10.99.0.0/24', '^lo', 'eth0,^docker*'):
            self.exchanged('a,b', tcp_interfaces=chosen)
        job = self.start(*self.on('a,b', EXCHANGE), environment={'WEFT_TCP_INTERFACES': 'eth7'})
        result = self.finish(job)
        self.assertNotEqual(result.code, 0, result)
        for word in ("'eth7'", 'matches none', 'eth0 10.99.0.'):
            self.assertIn(word, result.err)

    def test_ipv6_alone(self):
        for number, host in enumerate(HOSTS, 1):
            name, address = network.network.name(host), (f'fd99::{number}/64', 'dev', 'eth0')
            network.network.do('-n', name, 'address', 'add', *address, 'nodad')
            self.addCleanup(network.network.do, '-n', name, 'address', 'delete', *address)
        self.exchanged(tcp_interfaces='fd99::/64')
        self.exchanged(tcp_interfaces='fe80::/10')       # link-local addresses will do

    def test_killed_rank(self):
        for hosts in ('a:2,b:1', 'a,b:2'):
            result = self.finish(self.start(*self.on(hosts, EXCHANGE, 'kill')))
            self.assertEqual(result.code, 137, result)
            self.assertIn('SIGKILL', result.err)

    def test_sleep_that_either_fabric_ends(self):
        result = self.expect(0, *self.on('a:2,b', SLEEPERS))
        self.assertTrue(result.out.startswith('right'), result)

    def test_unplugged(self):
        """The agents still hear of each other; only the ranks' connections are dead, and no reset says so."""
        silent = r'(10\.99\.0\.[12]|fe80:\S+%eth0) for 2 s'       # whichever address answered first, of IPv4 and IPv6
        for doing, words in (('wait', f'(Connection timed out|No route to host|no answer from {silent})'),
                             ('small', f'no answer from {silent}'), ('large', silent)):
            job = self.start(*self.on('a:2,b', EXCHANGE, doing), environment={'WEFT_TCP_TIMEOUT': '2'})
            for _ in range(3):
                job.stdout.readline()
            network.network.plug('b', 'down')
            try:
                result = self.finish(job)
            finally:
                network.network.plug('b', 'up')
            self.assertEqual(result.code, 1, f'{doing}: {result}')
            self.one_line(result)
            self.assertRegex(result.err, f'rank . on host [ab] is lost: .*{words}')
            self.nothing_left()


if __name__ == '__main__':
    main()
