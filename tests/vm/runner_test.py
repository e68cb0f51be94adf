# The runner itself: what runs where and with what, exit codes, limits, and that nothing is left however it ends.
import os
import signal
import unittest

import harness


class Commands(harness.GuestTest):
    def test_place_and_variables(self):
        self.file('data', 'of the host\n')
        result = self.expect(0, '-n', 2, '--', 'echo $NODE_ID/$NODES $IP $PEERS; cat data; echo to-stderr >&2; test $(hostname) = n$NODE_ID')
        for node in (0, 1):
            self.assertIn(f'n{node}| {node}/2 10.77.0.{node + 1} 10.77.0.1,10.77.0.2\nn', result.out)
            self.assertIn(f'n{node}| of the host\n', result.out)
            self.assertIn(f'n{node}| to-stderr\n', result.err)

    def test_writes_stay_in_the_guest_unless_told(self):
        os.mkdir(f'{self.folder}/shared')
        self.expect(0, '--writable', f'{self.folder}/shared', '--', 'echo 1 >lost && echo 2 >shared/kept && cat lost')
        self.assertFalse(os.path.exists(f'{self.folder}/lost'))
        with open(f'{self.folder}/shared/kept') as file:
            self.assertEqual(file.read(), '2\n')

    def test_exit_codes_and_limits(self):
        """A failure or a limit ends one line of a batch, not the next; the first code counts."""
        result = self.batch('''
            exit $((NODE_ID * 7))
            kill -KILL $$
            no-such-command
            trap "" TERM; while :; do sleep 1; done
            echo still $NODE_ID
            head -c 300000 /dev/zero | tr '\\0' a; echo; echo whole
            ''', '-n', 2, '--time-limit', 10, code=7)
        for code, line in ((7, 'exit'), (137, 'kill -KILL'), (127, 'no-such'), (124, 'trap')):
            self.assertRegex(result.err, rf'failed \({code}\) in [\d.]+ s: {line}')
        self.assertIn('n1| still 1\n', result.out)
        self.assertIn('n0| ' + 300000 * 'a' + '\nn0| whole\n', result.out.replace('n1| whole\n', '').replace('n1| ' + 300000 * 'a' + '\n', ''))

    def test_what_a_command_leaves_is_told_and_ended(self):
        result = self.batch('''
            sleep 1000 & touch /dev/shm/left $TMPDIR/left
            ps -e | grep -c sleep; ls /dev/shm $TMPDIR | grep left
            ''', code=1)
        self.assertRegex(result.err, r'left behind: process \d+ \(.*sleep 1000.*\), /dev/shm/left, /run/tmp/left')
        self.assertEqual(result.out, 'n0| 0\n')

    def test_enter(self):
        """What `enter` carries, both ways, and the code; a command doesn't outlive the `enter` that started it."""
        self.file('left', '''
            at_work() { $VM/enter n1 'pgrep -fx "sleep 1234"'; }
            $VM/enter n1 'exec sleep 1234' &
            until at_work; do sleep 0.2; done
            kill $!
            while at_work; do sleep 0.2; done
            echo gone
            ''')
        result = self.batch('''
            echo question | $VM/enter n$((1 - NODE_ID)) 'cat; hostname; echo answer >&2; pwd; exit 9'; echo code $?
            [ $NODE_ID = 1 ] || $VM/enter n1 'cat' <$VM/enter | cmp - $VM/enter
            [ $NODE_ID = 1 ] || $VM/enter n5 true; echo code $?
            [ $NODE_ID = 1 ] || . ./left
            ''', '-n', 2)
        self.assertIn('n0| code 9\n', result.out)
        self.assertRegex(result.out, r'n0\| question\n(n1\|.*\n)*n0\| n1\n')
        self.assertIn('n0| answer\n', result.err)
        self.assertIn(f'n0| {self.folder}\n', result.out)
        self.assertIn('no guest is called n5; there are n0, n1', result.err)
        self.assertIn('n0| gone\n', result.out)


class Ends(harness.GuestTest):
    def guest_process(self, runner, node):
        def read(path):
            with open(path) as file:
                return file.read()

        def kernels():
            children = read(f'/proc/{runner.pid}/task/{runner.pid}/children').split()
            return [int(pid) for pid in children if f'n{node}.json' in read(f'/proc/{pid}/cmdline')]
        self.wait_for(kernels, 'the guest has started')
        return kernels()[0]

    def up(self, *arguments):
        runner = self.start(*arguments, '--', 'echo up; sleep 1000')
        self.assertRegex(runner.stdout.readline().decode(), r'n\d\| up')
        return runner

    def test_a_guest_killed_from_outside(self):
        runner = self.up('-n', 2, '--time-limit', 10)
        os.kill(self.guest_process(runner, 1), signal.SIGKILL)
        result = self.finish(runner)
        self.assertEqual(result.code, 125, str(result))
        self.assertIn('n1: lost', result.err)

    def test_a_guest_that_hangs(self):
        runner = self.up('--time-limit', 5)
        os.kill(self.guest_process(runner, 0), signal.SIGSTOP)
        result = self.finish(runner)
        self.assertEqual(result.code, 125, str(result))
        self.assertIn('n0| does not answer; killed', result.err)

    def test_a_kernel_that_panics(self):
        result = self.expect(125, '--', 'echo 2 >/proc/sys/vm/panic_on_oom; mount -o remount,size=100% /dev/shm; cat /dev/zero >/dev/shm/all')
        self.assertRegex(result.err, 'console: .*panic')

    def test_a_guest_killed_on_purpose(self):
        result = self.expect(0, '-n', 3, '--', 'case $NODE_ID in 0) $VM/fault kill n1; $VM/enter n1 true; test $? = 255 ;; 1) sleep 1000 ;; esac')
        self.assertIn('n1: killed as asked', result.err)

    def test_the_runner_is_told_to_end(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)):
            with self.subTest(number):
                runner = self.up('-n', 3)
                runner.send_signal(number)
                self.assertEqual(self.finish(runner).code, code)

    def test_no_kernel(self):
        os.environ['WEFT_VM_KERNEL'], kept = '/nowhere', os.environ.get('WEFT_VM_KERNEL')
        try:
            self.assertIn('skipped: WEFT_VM_KERNEL=/nowhere', self.expect(77, '--', 'true').err)
        finally:
            if kept is None:
                del os.environ['WEFT_VM_KERNEL']
            else:
                os.environ['WEFT_VM_KERNEL'] = kept

    test_no_kernel = unittest.skipIf(harness.MACHINE != 'uml', 'a stock kernel is used')(test_no_kernel)


harness.main()
