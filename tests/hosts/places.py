# Which rank runs where, and that it finds things there as they were where the job was started.
import os
import re

from network import HostsTest, main
from harness import MARK, PROBE, WEFTRUN, marked_processes


class Places(HostsTest):
    def places(self, *arguments):
        """Rank by rank, the host that the launcher reports and that the rank itself is told."""
        result = self.expect(0, *arguments, '--report', PROBE)
        return self.check_report(result)

    def check_report(self, result):
        reported = {int(match[1]): match[2] for match in re.finditer(r'weftrun: rank (\d+) on (\S+): pid \d+, CPUs [\d,-]+', result.err)}
        told = {int(match[1]): match[2] for match in re.finditer(r'rank (\d+) of \d+, .* host (\S+)', result.out)}
        self.assertEqual(reported, told, result)
        return ''.join(reported[rank] for rank in range(len(reported)))

    def test_by_slots(self):
        for hosts, flags, expected in (('a:2,b:2', [], 'aabb'), ('a:2,b', [], 'aab'), ('a:2,b:2', ['-n', 3], 'aab'), ('a:2,b:2,c:2', ['-n', 2], 'aa'),
                                       ('a,b', ['-n', 5], 'ababa'), ('a:2,b', ['-n', 5], 'aabaa'), ('a,b:2', ['--map-by', 'node'], 'abb'),
                                       ('a:2,b:2', ['--map-by', 'node'], 'abab'), ('a:4,b:4', ['-n', 4, '--map-by', 'ppr:2:node'], 'aabb'),
                                       ('a,a,b', [], 'aab'), ('c', [], 'c')):
            self.assertEqual(self.places(*self.on(hosts, *flags)), expected, (hosts, flags))

    def test_local_ranks(self):
        out = self.expect(0, *self.on('a:2,b:1', '-n', 5, PROBE)).out
        for line in ('rank 0 of 5, local 0 of 4, host a', 'rank 2 of 5, local 0 of 1, host b', 'rank 4 of 5, local 3 of 4, host a'):
            self.assertIn(line, out)
        show = 'echo $MPI_LOCALRANKID of $MPI_LOCALNRANKS'
        self.assertEqual(sorted(self.expect(0, *self.on('a:2,b', 'sh', '-c', show)).out.splitlines()), ['0 of 1', '0 of 2', '1 of 2'])

    def test_other_names_of_the_flags(self):
        for flag in ('--host', '-host', '-hosts', '-H', '--hosts'):
            self.assertEqual(self.places(flag, 'a:1,b:1', '--agent', self.agent), 'ab')
        self.assertEqual(self.places('--hosts', 'a', '--hosts', 'b', '--agent', self.agent), 'ab')

    def test_host_file(self):
        path = os.path.join(self.directory, 'hosts')
        with open(path, 'w') as file:
            file.write('# our hosts\na slots=2 max_slots=4\n\nb:1   # small\nc\n')
        for flag in ('--hostfile', '-f', '--machinefile', '-machinefile', '-hostfile'):
            self.assertEqual(self.places(flag, path, '--agent', self.agent), 'aabc')

    def test_several_programs(self):
        result = self.expect(0, '-n', 1, *self.on('a:2,b:2', '--report', PROBE), ':', '-n', 3, PROBE)
        self.assertEqual(self.check_report(result), 'aabb')
        result = self.expect(0, '-n', 1, *self.on('b', '--report', PROBE), ':', '-n', 2, '--host', 'c:2', PROBE)
        self.assertEqual(self.check_report(result), 'bcc')

    def test_this_machine_needs_no_agent(self):
        for name in ('localhost', os.uname().nodename):
            self.assertEqual(self.expect(0, '--hosts', f'{name}:2', '--agent', 'false', PROBE).out.count(f'host {name}'), 2)
            result = self.expect(0, *self.on(f'{name}:1,b:1', PROBE))
            self.assertIn(f'rank 0 of 2, local 0 of 1, host {name}\n', result.out)

    def test_mistakes_are_one_line(self):
        for arguments, words in ((['--hosts', 'a:0'], ['a:0']), (['--hosts', 'a b'], ['a b']), (['--hosts', 'a,'], ['no name']),
                                 (['--hosts', '$(x)'], ['$(x)']), (['--hostfile', '/no/such'], ['/no/such', 'No such file']),
                                 (['--hosts', 'a:9,b:9', '-n', '5', '--map-by', 'ppr:2:node'], ['ppr'])):
            result = self.run_job(*arguments, 'true')
            self.assertNotEqual(result.code, 0)
            self.one_line(result, *words)


class Surroundings(HostsTest):
    def test_environment_and_folder(self):
        folder = os.path.join(self.directory, 'a folder')
        os.mkdir(folder)
        odd = {'ODD': 'two\nlines and ' + os.fsdecode(b'\xff'), 'EMPTY': '', 'PMIX_RANK': '77'}
        show = 'umask; pwd; printf "%s|%s|%s|" "$ODD" "$EMPTY" "${GIVEN-none}"; ls'
        open(os.path.join(folder, 'here'), 'w').close()
        for given in ('one', 'two'):
            result = self.expect(0, *self.on('c', '-x', f'GIVEN={given}', 'sh', '-c', show), environment=odd, cwd=folder, umask=0o026)
            expected = f'0026\n{os.path.realpath(folder)}\n'.encode() + b'two\nlines and \xff||' + f'{given}|here\n'.encode()
            self.assertEqual(result.out_bytes, expected, result)

    def test_relative_program_and_folder(self):
        os.mkdir(os.path.join(self.directory, 'there'))
        self.script('there/where', 'pwd')
        result = self.expect(0, *self.on('a,b', '--wdir', 'there', './where'))
        self.assertEqual(result.out, (os.path.realpath(self.directory) + '/there\n') * 2)

    def test_ranks_are_in_the_namespaces(self):
        result = self.expect(0, *self.on('a,b,c', '-l', 'sh', '-c', 'ip -o -4 address show dev eth0 | grep -o "10.99[.0-9]*"'))
        self.assertEqual(sorted(result.out.splitlines()), ['[0] 10.99.0.1', '[1] 10.99.0.2', '[2] 10.99.0.3'])

    def test_only_standard_streams_are_inherited(self):
        self.assertEqual(self.expect(0, *self.on('a:2,b', 'sh', '-c', 'ls /proc/self/fd | wc -l')).out.split(), ['4'] * 3)

    def test_noise_of_a_login_is_no_trouble(self):
        for noise in ('echo welcome to %h;', 'head -c 300000 /dev/zero;'):
            result = self.expect(0, '--hosts', 'a,b', '--agent', noise + self.agent, PROBE)
            self.assertEqual((len(result.out.splitlines()), result.err), (2, ''), result)

    def test_agent_command_without_a_place_for_the_host(self):
        command = self.script('reach', f'host=$1; shift; exec {self.agent.replace("%h", "$host")} "$@"')
        self.assertEqual(len(self.expect(0, '--hosts', 'a,b', '--agent', command, PROBE).out.splitlines()), 2)

    def test_launcher_in_a_folder_with_blanks(self):
        folder = os.path.join(self.directory, "it's a folder")
        os.mkdir(folder)
        os.symlink(WEFTRUN, os.path.join(folder, 'weftrun'))
        copy = os.path.join(folder, 'launcher')
        with open(WEFTRUN, 'rb') as source, open(copy, 'wb') as target:
            target.write(source.read())
        os.chmod(copy, 0o755)
        result = self.finish(self.start(*self.on('a,b', PROBE), program=copy))
        self.assertEqual((result.code, len(result.out.splitlines())), (0, 2), result)

    def test_secret_is_not_listed(self):
        job = self.start(*self.on('a,b', PROBE, '7:none'))
        for _ in range(2):
            job.stdout.readline()
        seen = 0
        for pid in marked_processes(self.mark):
            with open(f'/proc/{pid}/cmdline', 'rb') as line, open(f'/proc/{pid}/environ', 'rb') as variables:
                command, environment = line.read(), variables.read()
            seen += b'--as-agent' in command
            self.assertIsNone(re.search(rb'[0-9a-f]{32}', command), command)
            self.assertIsNone(re.search(rb'[0-9a-f]{32}', environment.replace(f'{MARK}={self.mark}'.encode(), b'')), environment)
        self.assertGreaterEqual(seen, 4)                 # guard and worker of two agents
        job.terminate()
        self.assertEqual(self.finish(job).code, 143)
        self.nothing_left()


if __name__ == '__main__':
    main()
