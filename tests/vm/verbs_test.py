# weft's verbs fabric under conditions that only a guest has. Started by meson with BUILD.
import os
import unittest

import harness

BUILD = os.environ['BUILD']


@unittest.skipIf(harness.MACHINE == 'uml', 'User Mode Linux has no userfaultfd')
class Memory(harness.GuestTest):
    def test_registrations_are_kept_and_never_serve_old_pages(self):
        result = self.expect(0, '--', f"{BUILD}/tests/wire/verbs --gtest_filter='VerbsMemory.*'")
        self.assertNotIn('SKIPPED', result.out)


harness.main()
