# The service in a guest, its pid 1: runs commands for the runner and for `enter`, carries their input and output, ends them at
# their limit, and tells how they ended. Called by guest.py once the guest is set up.
# One thread; writes to the runner's line may wait (the runner always reads), writes to commands never do.
import ctypes
import json
import os
import selectors
import signal
import socket
import subprocess
import time
import tty

from frames import CHUNK_BYTES, Kind, Parser, frame

POWER_OFF = 0x4321fedc
TIMED_OUT = 124
GRACE_S = 2


class Command:
    """A process group at work and the three pipes to it."""

    def __init__(self, service, reply, stream, order):
        self.service, self.reply, self.stream = service, reply, stream
        self.pending, self.input_ended, self.timed_out = bytearray(), False, False
        stdin = subprocess.PIPE if order['input'] else subprocess.DEVNULL
        self.process = subprocess.Popen(order['command'], cwd=order['folder'], env=order['environment'] | service.own, stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, start_new_session=True)
        self.deadline = time.monotonic() + order['limit_s'] if order['limit_s'] else None
        for kind, pipe in ((Kind.OUTPUT, self.process.stdout), (Kind.ERRORS, self.process.stderr)):
            os.set_blocking(pipe.fileno(), False)
            service.watch(pipe, selectors.EVENT_READ, lambda kind=kind, pipe=pipe: self.read(kind, pipe))
        if self.process.stdin:
            os.set_blocking(self.process.stdin.fileno(), False)

    def read(self, kind, pipe):
        """True while there may be more."""
        try:
            data = os.read(pipe.fileno(), CHUNK_BYTES)
        except BlockingIOError:
            return False
        if data:
            self.reply(frame(kind, self.stream, data))
        else:
            self.service.unwatch(pipe)
        return bool(data)

    def input(self, data):
        self.input_ended = self.input_ended or not data
        self.pending += data
        self.write()

    def write(self):
        pipe = self.process.stdin
        if not pipe or pipe.closed:
            return
        try:
            while self.pending:
                del self.pending[:os.write(pipe.fileno(), self.pending)]
        except BlockingIOError:
            return self.service.watch(pipe, selectors.EVENT_WRITE, self.write)
        except BrokenPipeError:
            self.pending.clear()
            self.input_ended = True
        self.service.unwatch(pipe)
        if self.input_ended:
            pipe.close()

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def tick(self, now):
        if self.deadline and now >= self.deadline:
            self.signal(signal.SIGKILL if self.timed_out else signal.SIGTERM)
            self.timed_out, self.deadline = True, now + GRACE_S

    def ended(self, code):
        """What descendants that hold the pipes still write is lost, as with any remote shell."""
        self.process.returncode = code
        for kind, pipe in ((Kind.OUTPUT, self.process.stdout), (Kind.ERRORS, self.process.stderr)):
            while self.service.watched(pipe) and self.read(kind, pipe):
                pass
            self.service.unwatch(pipe)
            pipe.close()
        if self.process.stdin and not self.process.stdin.closed:
            self.service.unwatch(self.process.stdin)
            self.process.stdin.close()
        code = TIMED_OUT if self.timed_out else 128 - code if code < 0 else code
        self.reply(frame(Kind.EXIT, self.stream, {'code': code}))


class Visitor:
    """A connection of `enter` in this guest; its one stream goes on to the runner under a number of ours."""

    def __init__(self, service, connection, stream):
        self.service, self.connection, self.stream, self.parser = service, connection, stream, Parser()
        service.watch(connection, selectors.EVENT_READ, self.read)

    def read(self):
        try:
            data = self.connection.recv(CHUNK_BYTES)
        except ConnectionError:
            data = b''
        for kind, _, payload in self.parser.feed(data):
            self.service.to_runner(frame(kind, self.stream, payload))
        if not data:
            self.service.to_runner(frame(Kind.HANG_UP, self.stream))
            self.close()

    def give(self, kind, payload):
        try:
            self.connection.sendall(frame(kind, 0, payload))
        except OSError:
            pass  # gone; read() will tell
        if kind == Kind.EXIT:
            self.close()

    def close(self):
        self.service.unwatch(self.connection)
        self.connection.close()
        self.service.visitors.pop(self.stream, None)


class Service:
    """`own` are the variables that every command here gets."""

    def __init__(self, line, own):
        self.own = own
        self.selector = selectors.DefaultSelector()
        self.commands, self.visitors, self.next_visitor, self.on = {}, {}, 1, True
        self.line, self.parser = os.open(line, os.O_RDWR | os.O_NOCTTY), Parser()
        if os.isatty(self.line):
            tty.setraw(self.line)
        self.watch(self.line, selectors.EVENT_READ, self.read_line)
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(own['VM_DOOR'])
        self.door.listen()
        self.watch(self.door, selectors.EVENT_READ, self.admit)
        self.child, wake = os.pipe()
        for end in (self.child, wake):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self.watch(self.child, selectors.EVENT_READ, self.reap)

    def watch(self, what, events, action):
        if self.watched(what):
            self.selector.modify(what, events, action)
        else:
            self.selector.register(what, events, action)

    def watched(self, what):
        return what in self.selector.get_map()

    def unwatch(self, what):
        if self.watched(what):
            self.selector.unregister(what)

    def to_runner(self, data):
        while data:
            data = data[os.write(self.line, data):]

    def admit(self):
        connection, _ = self.door.accept()
        self.visitors[self.next_visitor] = Visitor(self, connection, self.next_visitor)
        self.next_visitor += 2

    def read_line(self):
        data = os.read(self.line, CHUNK_BYTES)
        self.to_runner(frame(Kind.TAKEN, len(data)))
        for kind, stream, payload in self.parser.feed(data):
            if kind == Kind.START:
                self.start(stream, json.loads(payload))
            elif kind == Kind.INPUT and stream in self.commands:
                self.commands[stream].input(payload)
            elif kind == Kind.HANG_UP and stream in self.commands:
                self.commands[stream].signal(signal.SIGKILL)
            elif kind in (Kind.OUTPUT, Kind.ERRORS, Kind.EXIT) and stream in self.visitors:
                self.visitors[stream].give(kind, payload)
            elif kind == Kind.SWEEP:
                self.sweep(stream)
            elif kind == Kind.POWER_OFF:
                self.on = False

    def start(self, stream, order):
        try:
            self.commands[stream] = Command(self, self.to_runner, stream, order)
        except OSError as error:
            words = f'{order["command"][0]} in {order["folder"]}: {error.strerror}\n'
            self.to_runner(frame(Kind.ERRORS, stream, words.encode()))
            self.to_runner(frame(Kind.EXIT, stream, {'code': 127 if isinstance(error, FileNotFoundError) else 126}))

    def reap(self):
        os.read(self.child, CHUNK_BYTES)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for stream, command in list(self.commands.items()):
                if command.process.pid == pid:
                    del self.commands[stream]
                    command.ended(os.waitstatus_to_exitcode(status))

    def sweep(self, stream):
        """Kills every process but this one and empties the places for temporary files: a batch's next command starts afresh."""
        left = []
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{pid}/cmdline', 'rb') as file:
                    words = file.read().replace(b'\0', b' ').decode(errors='replace').strip()
            except OSError:
                continue
            if words and pid != '1':
                left.append(f'process {pid} ({words[:80]})')
        if left:
            os.kill(-1, signal.SIGKILL)
        for folder in ('/dev/shm', self.own['TMPDIR']):
            for name in os.listdir(folder):
                left.append(f'{folder}/{name}')
                subprocess.run(['rm', '-rf', f'{folder}/{name}'])
        self.to_runner(frame(Kind.SWEPT, stream, {'left': left}))

    def run(self):
        self.to_runner(frame(Kind.READY))
        while self.on:
            now = time.monotonic()
            deadlines = [command.deadline for command in self.commands.values() if command.deadline]
            for key, _ in self.selector.select(max(0, min(deadlines) - now) if deadlines else None):
                if self.selector.get_map().get(key.fd) is key:      # one before it may have closed it, or changed what it waits for
                    key.data()
            now = time.monotonic()
            for command in self.commands.values():
                command.tick(now)
        ctypes.CDLL(None).reboot(POWER_OFF)
