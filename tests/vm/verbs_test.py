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


class Limits(harness.GuestTest):
    def test_little_locked_memory_means_the_next_fabric_and_one_line_a_host(self):
        """Root may lock any amount, unless it has given that right away."""
        limited = f"ulimit -l 64; exec setpriv --bounding-set -ipc_lock {BUILD}/tests/standard/process_hello"
        result = self.expect(0, '-n', 2, '--on', 'n0', '--',
                             f'{BUILD}/launcher/weftrun --hosts n0:2,n1:1 --agent "$VM/enter %h" --report sh -c "{limited}"')
        told = [line for line in result.err.splitlines() if 'locked memory' in line]
        self.assertEqual(len(told), 2, str(result))
        for line in told:
            self.assertRegex(line, r'fabric verbs is not used: locked memory is limited to 64 KiB \(ulimit -l\), and \d+ KiB are needed')
        self.assertRegex(result.err, r'tcp, ')
        self.assertNotIn('verbs, ', result.err)


harness.main()
