# Cards across hosts: gathered by fences, asked for one by one, late, never, large.
import os

from network import HostsTest, main
from harness import PROBE, times

CARDS = os.environ['WEFT_CARD_PROBE']


class Cards(HostsTest):
    def test_every_card_reaches_every_host(self):
        for hosts in ('a,b', 'a:2,b:2', 'a:2,b:3,c:1', 'a:5,c'):
            result = self.expect(0, *self.on(hosts, PROBE))
            ranks = sum(int((host + ':1').split(':')[1]) for host in hosts.split(','))
            self.assertEqual((len(result.out.splitlines()), result.err), (ranks, ''), result)

    def test_in_every_way(self):
        for hosts in ('a:2,b:2', 'a:1,b:2,c:2'):
            for deal in ([], ['--map-by', 'node']):
                result = self.expect(0, *self.on(hosts, *deal, CARDS))
                self.assertEqual(result.err, '')
                for line in result.out.splitlines():
                    asker, _, asked, _, host = line.split()
                    self.assertIn(f'0 sees {asked} on {host}', result.out)
                self.assertEqual(len(set(line.split(' ', 1)[1] for line in result.out.splitlines())), 4 if hosts == 'a:2,b:2' else 5)

    def test_on_one_host(self):
        self.expect(0, '-n', 4, CARDS)

    def test_again_and_again(self):
        for _ in range(times(5, 100)):
            self.expect(0, *self.on('a:2,b:2,c:2', PROBE))


if __name__ == '__main__':
    main()
