# Guests that run together: boots them, runs commands in them within a time limit, tells how each ended, and leaves nothing behind.
# Used as  with Cluster(Setup(...)) as cluster: cluster.run(...) ; see guests.py. Everything is called from the main thread.
import dataclasses
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time

from frames import Kind
from guardian import Guardian, kill_group
from switch import GONE, Switch
import wires

LOST = 125          # a guest died or doesn't answer: its code
BEYOND_LIMIT_S = 15  # the guest ends a command at its limit; after this, it is the guest that hangs
HERE = os.path.dirname(os.path.abspath(__file__))


class Trouble(Exception):
    """The guests, and not what runs in them."""


@dataclasses.dataclass
class Setup:
    machine: object             # module: uml or qemu
    kernel: str
    count: int = 1
    memory_mb: int = 256
    device: str = 'rxe'         # rxe, siw, none
    mtu: int = 4200             # room for RDMA's 4096
    writable: tuple = ()        # folders of the host that the guests may change
    folder: str = ''

    def facts_file(self, node):
        return f'{self.folder}/n{node}.json'

    def console(self, node):
        return f'{self.folder}/n{node}.console'

    def write_facts(self, node):
        """What guest.py wants to know."""
        folders = [os.path.realpath(folder) for folder in self.writable]
        facts = {'node': node, 'peers': [f'10.77.0.{number + 1}' for number in range(self.count)], 'device': self.device, 'mtu': self.mtu,
                 'line': self.machine.LINE, 'writable': {folder: self.machine.share(number, folder) for number, folder in enumerate(folders)}}
        with open(self.facts_file(node), 'w') as file:
            json.dump(facts, file)


def guest_environment(variables):
    """The caller's, without what is for the runner and not for the guests; weft tells of WEFT_ variables that it doesn't know."""
    return {name: value for name, value in variables.items() if not name.startswith('WEFT_VM_')} | {
        'PATH': variables.get('PATH', '/usr/bin:/bin') + ':/usr/sbin:/sbin'}


class Guest:
    def __init__(self, cluster, node, wire):
        self.node, self.name, self.killed = node, f'n{node}', False
        cluster.setup.write_facts(node)
        self.process, line = cluster.setup.machine.start(cluster.setup, node, wire)
        cluster.guardian.tell('+', self.process.pid)
        self.link = cluster.switch.add(self.name, line)
        self.watcher = threading.Thread(target=self.watch, args=[cluster.guardian, line], daemon=True)
        self.watcher.start()

    def watch(self, guardian, line):
        """The processes of a User Mode Linux guest outlive its kernel and keep its line open."""
        self.process.wait()
        kill_group(self.process.pid)
        guardian.tell('-', self.process.pid)
        line.shutdown(2)

    def kill(self):
        kill_group(self.process.pid)
        self.watcher.join()
        self.link.lost.wait()


class Cluster:
    def __init__(self, setup):
        self.setup, self.guests, self.hub = setup, [], None
        self.switch = Switch(self.kill)

    def __enter__(self):
        self.setup.folder = tempfile.mkdtemp(prefix='weft-vm-')
        self.guardian = Guardian(self.setup.folder)
        try:
            self.boot()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for guest in self.guests:
            guest.link.send(Kind.POWER_OFF)
        for guest in self.guests:
            guest.watcher.join(5)
            guest.kill()
        if self.hub:
            kill_group(self.hub.pid)
            self.hub.wait()
            self.guardian.tell('-', self.hub.pid)
        self.guardian.close()

    def boot(self):
        guest_wires, hub_wires = wires.wires(self.setup.count, self.setup.machine.SOCKET_KIND)
        if hub_wires:
            numbers = [wire.fileno() for wire in hub_wires]
            self.hub = subprocess.Popen([sys.executable, f'{HERE}/wires.py', *map(str, numbers)], pass_fds=numbers, process_group=0)
            self.guardian.tell('+', self.hub.pid)
        self.guests = []
        for node in range(self.setup.count):
            self.guests.append(Guest(self, node, guest_wires[node] if guest_wires else None))
        for wire in guest_wires + hub_wires:
            wire.close()
        deadline = time.monotonic() + self.setup.machine.BOOT_LIMIT_S
        for guest in self.guests:
            try:
                ready = guest.link.ready.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                raise Trouble(f'{guest.name} is not up after {self.setup.machine.BOOT_LIMIT_S} s{self.last_words(guest)}') from None
            if not ready:
                raise Trouble(f'{guest.name} did not come up{self.last_words(guest)}')

    def last_words(self, guest, lines=40):
        with open(self.setup.console(guest.node), errors='replace') as file:
            return ''.join(f'\n  {guest.name} console: {line.rstrip()}' for line in file.readlines()[-lines:])

    def kill(self, name):
        """As asked by a test in a guest; called from a link's reader."""
        guest = self.guest(name)
        guest.killed = True
        kill_group(guest.process.pid)

    def guest(self, name):
        return next(guest for guest in self.guests if guest.name == name)

    def alive(self):
        return all(guest.killed or not guest.link.lost.is_set() for guest in self.guests)

    def run(self, command, sink, names=None, limit_s=60.0, environment=None):
        """Runs it in the guests of these names, all without any; the codes by name. sink(name, kind, bytes) gets the output."""
        events = queue.SimpleQueue()
        chosen = [guest for guest in self.guests if not names or guest.name in names]
        for guest in chosen:
            order = {'host': guest.name, 'command': command, 'folder': os.getcwd(), 'input': False, 'limit_s': limit_s,
                     'environment': guest_environment(os.environ if environment is None else environment)}
            stream = guest.link.open(lambda kind, payload, name=guest.name: events.put((name, kind, payload)))
            guest.link.send(Kind.START, stream, order)
        codes, deadline = {}, time.monotonic() + limit_s + BEYOND_LIMIT_S
        while len(codes) < len(chosen):
            try:
                name, kind, payload = events.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                for guest in chosen:
                    if guest.name not in codes:
                        sink(guest.name, Kind.ERRORS, b'does not answer; killed\n')
                        guest.kill()
                deadline += BEYOND_LIMIT_S
                continue
            if kind == Kind.EXIT:
                codes[name] = json.loads(payload)['code']
            else:
                sink(name, kind, payload)
        for guest in chosen:
            if guest.link.lost.is_set() and codes[guest.name] == GONE:
                codes[guest.name] = LOST
        return codes

    def sweep(self):
        """Ends what the last command left; what it was, by guest."""
        answers, left = queue.SimpleQueue(), {}
        waiting = [guest for guest in self.guests if not guest.link.lost.is_set()]
        for guest in waiting:
            stream = guest.link.open(lambda kind, payload, name=guest.name: answers.put((name, kind, payload)))
            guest.link.send(Kind.SWEEP, stream)
        missing = {guest.name for guest in waiting}
        while missing:
            try:
                name, kind, payload = answers.get(timeout=BEYOND_LIMIT_S)
            except queue.Empty:
                for name in missing:
                    self.guest(name).kill()
                continue
            if kind in (Kind.SWEPT, Kind.EXIT):
                missing.remove(name)
                left[name] = json.loads(payload).get('left')
        return {name: what for name, what in left.items() if what}
