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

    def test_silence_over_datagrams_ends_at_the_limit_that_was_set(self):
        """The wire is cut under way; both sides give up, and say why."""
        cut = 'until grep -q "under way" $TMPDIR/said; do sleep 0.2; done; $VM/fault loss 100%'
        pair = f'WEFT_VERBS_SILENCE=2 WEFT_VERBS_TRANSPORT=ud {PAIR} send 1000000 40'
        result = self.batch(f'touch $TMPDIR/said; [ $NODE_ID = 1 ] && ( {cut} ) & ! {pair} > $TMPDIR/said\n', '-n', 2)
        self.assertEqual(result.err.count('no acknowledgement from the peer within WEFT_VERBS_SILENCE seconds'), 2, str(result))


harness.main()
