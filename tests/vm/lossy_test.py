# The verbs fabric between two guests whose network loses packets: whole messages, once, in order. RC repeats in the device, UD
# in weft.
import os

import harness

PAIR = os.environ['WEFT_TEST_PAIR']


class Rxe(harness.GuestTest):
    def test_a_lossy_network_delivers_once_and_in_order(self):
        self.batch(f"""\
            {PAIR} stream 200 3000
            $VM/fault loss 10%
            {PAIR} stream 200 3000
            WEFT_VERBS_TRANSPORT=ud {PAIR} stream 300 900
            WEFT_VERBS_TRANSPORT=ud {PAIR} send 50 40
            """, '-n', 2)


harness.main()
