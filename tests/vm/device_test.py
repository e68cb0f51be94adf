# The devices: there, and known programs pass over them between guests; the faults do what they say.
import unittest

import harness

PINGPONG = 'ibv_rc_pingpong -d rxe0 -g 1'
LISTENS = {'ibv_rc_pingpong': 'ss -ltn | grep -q :18515', 'rping': 'rdma resource show cm_id | grep -q LISTEN'}


def pair(server, client, last=1):
    """The server on n0, the client on the last guest once the server listens."""
    listens = LISTENS[server.split()[0]]
    return ['--', f"""case $NODE_ID in
        0) {server} ;;
        {last}) until $VM/enter n0 '{listens}'; do sleep 0.2; done; {client} ;;
        esac"""]


class Rxe(harness.GuestTest):
    def seconds(self, result):
        """What both sides of the pingpong say they took."""
        found = [float(line.split(' in ')[1].split()[0]) for line in result.out.splitlines() if 'iters in' in line]
        self.assertEqual(len(found), 2, str(result))
        return found

    def test_device(self):
        result = self.expect(0, '--', 'ibv_devinfo -d rxe0; ls /dev/infiniband')
        for words in ('PORT_ACTIVE', 'active_mtu:\t\t4096', 'uverbs0', 'rdma_cm'):
            self.assertIn(words, result.out)

    def test_two_guests(self):
        self.expect(0, '-n', 2, *pair(f'{PINGPONG} -n 200', f'{PINGPONG} -n 200 10.77.0.1'))

    def test_three_guests_on_a_hub(self):
        self.expect(0, '-n', 3, *pair(f'{PINGPONG} -n 200', f'{PINGPONG} -n 200 10.77.0.1', last=2))

    def test_connection_manager(self):
        self.expect(0, '-n', 2, *pair('rping -s -C 5', 'rping -c -C 5 -a 10.77.0.1'))

    def test_a_cut_stops_a_connection_until_it_is_mended(self):
        """The delay makes sure that the cut comes before the end. (The pingpong's retry count, 7, means for ever on rxe 6.1.)"""
        cut = 'until rdma resource show qp | grep -q "type RC state RTS"; do sleep 0.2; done; $VM/fault loss 100%; sleep 5; $VM/fault clear'
        client = f'$VM/fault delay 20ms; ({cut}) & {PINGPONG} -n 200 10.77.0.1'
        self.assertGreater(min(self.seconds(self.expect(0, '-n', 2, *pair(f'{PINGPONG} -n 200', client)))), 5)

    def test_own_link_down(self):
        result = self.expect(0, '-n', 2, '--', '$VM/fault down; rdma link show rxe0/1')
        self.assertEqual(result.out.count('state DOWN'), 2, str(result))

    def test_delay_is_felt_and_ends(self):
        """Without faults 20 rounds take no second; 80 ms one way make them at least 1.6 s."""
        # the sleep: the last acknowledgement is still being delayed when the pingpong ends, and clearing would drop it
        delayed = f'$VM/fault delay 80ms; {PINGPONG} -n 20 10.77.0.1; sleep 0.5; $VM/fault clear; tc qdisc show'
        result = self.expect(0, '-n', 2, *pair(f'{PINGPONG} -n 20', delayed))
        self.assertGreater(min(self.seconds(result)), 1.5)
        self.assertNotIn('netem', result.out)


@unittest.skipIf(harness.MACHINE == 'qemu', 'Debian builds no siw')
class Siw(harness.GuestTest):
    def test_connection_manager(self):
        result = self.expect(0, '-n', 2, '--device', 'siw', *pair('rping -s -C 5', 'ibv_devinfo -d siw0; rping -c -C 5 -a 10.77.0.1'))
        self.assertRegex(result.out, r'transport:\s+iWARP')


harness.main()
