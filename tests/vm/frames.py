# Frames: how the runner, the service in each guest and `enter` talk, over a serial line or a Unix socket: kind, stream, length,
# payload. A stream is one command at work; who starts it numbers it, the runner with even numbers, the others with odd ones.
# To a guest no more than WINDOW_BYTES are under way: a serial line of User Mode Linux 6.1 whose buffer (4096 bytes) has once
# been full stays shut. The guest confirms what it took.
# Payloads of START, EXIT and SWEPT are JSON objects, those of INPUT, OUTPUT and ERRORS are the bytes themselves.
import enum
import json
import struct

HEADER = struct.Struct('!BII')
CHUNK_BYTES = 16384
WINDOW_BYTES = 2048


class Kind(enum.IntEnum):
    READY = 1       # guest to runner: up
    START = 2       # host, command, folder, environment, input (is there any), limit_s (0: none)
    INPUT = 3       # for the command's stdin; none at all: the end of it
    OUTPUT = 4
    ERRORS = 5
    EXIT = 6        # code; the last of a stream
    HANG_UP = 7     # who started it is gone: the command ends
    SWEEP = 8       # kill what finished commands left behind; SWEPT tells what it was
    SWEPT = 9
    POWER_OFF = 10
    KILL = 11       # the runner kills the guest of this name, as a power cut would
    TAKEN = 12      # guest to runner: has read as many more bytes as the stream's number says


def frame(kind, stream=0, payload=b''):
    if isinstance(payload, dict):
        payload = json.dumps(payload).encode()
    return HEADER.pack(kind, stream, len(payload)) + payload


class Parser:
    """Cuts bytes into (kind, stream, payload)."""

    def __init__(self):
        self.bytes = bytearray()

    def feed(self, data):
        self.bytes += data
        while len(self.bytes) >= HEADER.size:
            kind, stream, length = HEADER.unpack_from(self.bytes)
            if len(self.bytes) < HEADER.size + length:
                return
            payload = bytes(self.bytes[HEADER.size:HEADER.size + length])
            del self.bytes[:HEADER.size + length]
            yield Kind(kind), stream, payload
