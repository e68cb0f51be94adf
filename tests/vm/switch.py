# Carries streams between the runner and the guests, and from guest to guest: what a guest's `enter` starts in another one goes
# through here, beside the guests' network, so that a fault put on that doesn't cut it.
# Threads: a reader and a writer for each guest's line; a reader never waits for a writer, and so nothing can go round in a circle.
import json
import queue
import threading

from frames import CHUNK_BYTES, Kind, Parser, WINDOW_BYTES, frame

GONE = 255  # as ssh tells a lost connection


class Link:
    """A guest's line. `lost` is set once it is gone; then every stream has got its EXIT."""

    def __init__(self, switch, name, line):
        self.switch, self.name, self.line = switch, name, line
        self.handlers, self.next_stream, self.lost = {}, 2, threading.Event()
        self.ready = queue.SimpleQueue()
        self.to_send = queue.SimpleQueue()
        self.under_way_bytes, self.taken = 0, threading.Condition()
        for work in (self.read, self.write):
            threading.Thread(target=work, daemon=True).start()

    def open(self, handler):
        with self.switch.lock:
            stream, self.next_stream = self.next_stream, self.next_stream + 2
            self.handlers[stream] = handler
        if self.lost.is_set():
            self.end_streams()
        return stream

    def send(self, kind, stream=0, payload=b''):
        self.to_send.put(frame(kind, stream, payload))

    def write(self):
        try:
            while data := self.to_send.get():
                for begin in range(0, len(data), WINDOW_BYTES // 2):
                    self.send_within_window(data[begin:begin + WINDOW_BYTES // 2])
        except OSError:
            pass  # read() tells

    def send_within_window(self, part):
        with self.taken:
            self.taken.wait_for(lambda: self.under_way_bytes + len(part) <= WINDOW_BYTES or self.lost.is_set())
            self.under_way_bytes += len(part)
        self.line.sendall(part)

    def count_taken(self, taken_bytes):
        with self.taken:
            self.under_way_bytes -= taken_bytes
            self.taken.notify()

    def read(self):
        parser = Parser()
        try:
            while data := self.line.recv(CHUNK_BYTES):
                for kind, stream, payload in parser.feed(data):
                    self.take(kind, stream, payload)
        except OSError:
            pass
        self.lost.set()
        self.ready.put(False)
        self.to_send.put(b'')
        self.count_taken(self.under_way_bytes)
        self.end_streams()

    def take(self, kind, stream, payload):
        if kind == Kind.TAKEN:
            self.count_taken(stream)
        elif kind == Kind.READY:
            self.ready.put(True)
        elif kind == Kind.START:
            self.switch.connect(self, stream, payload)
        elif kind == Kind.KILL:
            self.switch.kill(payload.decode())
            self.send(Kind.EXIT, stream, {'code': 0})
        elif handler := self.handlers.get(stream):
            if kind in (Kind.EXIT, Kind.SWEPT):
                self.handlers.pop(stream, None)
            handler(kind, payload)

    def end_streams(self):
        while self.handlers:
            stream, handler = self.handlers.popitem()
            if stream % 2:
                handler(Kind.HANG_UP, b'')
            else:
                handler(Kind.ERRORS, f'{self.name} is gone\n'.encode())
                handler(Kind.EXIT, json.dumps({'code': GONE}).encode())


class Switch:
    """The links by name. kill(name) is the cluster's."""

    def __init__(self, kill):
        self.links, self.kill, self.lock = {}, kill, threading.Lock()

    def add(self, name, line):
        self.links[name] = Link(self, name, line)
        return self.links[name]

    def connect(self, source, source_stream, payload):
        host = json.loads(payload)['host']
        target = self.links.get(host)
        if not target:
            words = f'no guest is called {host}; there are {", ".join(self.links)}\n'
            source.send(Kind.ERRORS, source_stream, words.encode())
            source.send(Kind.EXIT, source_stream, {'code': GONE})
            return

        def back(kind, payload):
            if kind == Kind.EXIT:
                source.handlers.pop(source_stream, None)
            source.send(kind, source_stream, payload)

        stream = target.open(back)
        source.handlers[source_stream] = lambda kind, payload: target.send(kind, stream, payload)
        target.send(Kind.START, stream, payload)
