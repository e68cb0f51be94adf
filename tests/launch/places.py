# Hosts and directories as they are: odd TMPDIR, small /dev/shm, no network. Pain cases LA06, LA15, LA19 (start).
import os
import subprocess
import unittest

from harness import HANG_S, LaunchTest, PROBE, WEFTRUN, main


def can_unshare():
    return os.geteuid() == 0 and subprocess.run(['unshare', '-n', '-u', '-m', 'true'], capture_output=True).returncode == 0


class Directories(LaunchTest):
    def test_long(self):
        path = os.path.join(self.directory, 'x' * (110 - len(self.directory) - 1))
        os.mkdir(path)
        self.expect_works({'TMPDIR': path})
        self.assertEqual(os.listdir(path), [])

    def test_very_long(self):
        path = os.path.join(self.directory, *['y' * 100] * 3)
        os.makedirs(path)
        self.expect_works({'TMPDIR': path})
        self.assertEqual(os.listdir(path), [])

    def test_missing(self):
        self.expect_works({'TMPDIR': '/no/such/directory'})

    def test_unset_empty_and_relative(self):
        for value in (None, '', 'relative'):
            self.expect_works({'TMPDIR': value})

    def expect_works(self, environment, prefix=()):
        result = self.expect(0, '-n', 2, PROBE, environment=environment, prefix=prefix)
        self.assertEqual((len(result.out.splitlines()), result.err), (2, ''), result)

    @unittest.skipUnless(can_unshare(), 'needs the right to unshare')
    def test_read_only_and_full(self):
        mount = os.path.join(self.directory, 'mount')
        os.mkdir(mount)
        for options, fill in (('ro', 'true'), ('size=1m', f'! head -c 2m /dev/zero > {mount}/fill 2>/dev/null')):
            setup = self.script('setup', f'mount -t tmpfs -o {options} none {mount} && {{ {fill}; }} && exec "$@"')
            self.expect_works({'TMPDIR': mount}, ('unshare', '-m', setup))

    @unittest.skipUnless(can_unshare(), 'needs the right to unshare')
    def test_none_usable(self):
        setup = self.script('setup', 'for d in /tmp /dev/shm /var/tmp; do mount -t tmpfs -o size=64k none $d || exit 99; done; cd /; exec "$@"')
        # the programs may live below /tmp, which is hidden now
        import shutil
        keep = '/run/launch-test-' + self.mark
        os.mkdir(keep)
        try:
            shutil.copy(WEFTRUN, keep + '/weftrun')
            shutil.copy(setup, keep + '/setup')
            done = subprocess.run(['unshare', '-m', keep + '/setup', keep + '/weftrun', '-n', '2', 'true'], capture_output=True, text=True,
                                  env=self.environment({'TMPDIR': '/no/such'}), timeout=HANG_S)
        finally:
            shutil.rmtree(keep)
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(len(done.stderr.splitlines()), 1, done)
        self.assertIn('/no/such: No such file or directory', done.stderr)

    @unittest.skipUnless(can_unshare(), 'needs the right to unshare')
    def test_small_shared_memory(self):
        for size in ('64m', '4m'):
            setup = self.script('setup', f'mount -t tmpfs -o size={size} none /dev/shm && exec "$@"')
            result = self.expect(0, '-n', 16, PROBE, prefix=('unshare', '-m', setup))
            self.assertEqual((len(result.out.splitlines()), result.err), (16, ''), result)


class Network(LaunchTest):
    @unittest.skipUnless(can_unshare(), 'needs the right to unshare')
    def test_host_without_name_or_network(self):
        for lo in ('ip link set lo up', 'true'):
            setup = self.script('setup', f'{lo}; hostname no.such.host; exec "$@"')
            result = self.expect(0, '-n', 2, PROBE, prefix=('unshare', '-n', '-u', setup))
            self.assertEqual((len(result.out.splitlines()), result.err), (2, ''), result)
            self.assertIn('host no.such.host', result.out)

    @unittest.skipUnless(can_unshare(), 'needs the right to unshare')
    def test_network_down_and_no_right_to_change_it(self):
        result = self.run_job('-n', 2, PROBE, prefix=('unshare', '-n', 'setpriv', '--bounding-set', '-net_admin', '--inh-caps', '-net_admin'))
        self.assertNotEqual(result.code, 0)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.assertIn('lo is down', result.err)
        self.nothing_left()

    @unittest.skipUnless(os.path.exists('/usr/bin/strace'), 'no strace')
    def test_no_name_is_looked_up(self):
        trace = os.path.join(self.directory, 'trace')
        self.expect(0, '-n', 2, PROBE, prefix=('strace', '-f', '-qq', '-e', 'trace=open,openat,connect', '-o', trace))
        with open(trace) as file:
            calls = file.read()
        self.assertNotIn('sin_port=htons(53)', calls)
        for name in ('/etc/resolv.conf', '/etc/hosts'):
            self.assertNotIn(name, calls)


if __name__ == '__main__':
    main()
