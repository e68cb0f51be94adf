# The guests' network: Ethernet frames over Unix sockets, nothing of it on the host's network. Two guests share a pair of sockets;
# more hang on a hub, this file started as a program with one socket a guest, that forwards by the last byte of the MAC address
# (the node) and floods multicast. A queue that stays full drops frames, as a switch does.
import select
import selectors
import socket
import sys

QUEUE_BYTES = 4 << 20
FRAME_BYTES = 65536
FULL_S = 0.02
SO_SNDBUFFORCE = 32


def mac(node):
    return f'52:54:00:77:00:{node:02x}'


def socket_pair(kind):
    ends = socket.socketpair(socket.AF_UNIX, kind)
    for end in ends:
        try:
            end.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, QUEUE_BYTES)
        except PermissionError:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, QUEUE_BYTES)
    return ends


def wires(count, kind):
    """(one socket a guest, the hub's sockets); none at all for one guest alone."""
    if count == 1:
        return [], []
    if count == 2:
        return list(socket_pair(kind)), []
    pairs = [socket_pair(kind) for _ in range(count)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def give(port, data):
    try:
        port.send(data)
    except BlockingIOError:
        if select.select([], [port], [], FULL_S)[1]:
            give(port, data)
    except OSError:
        pass  # a guest that is gone


def forward(ports, source):
    for _ in range(64):
        data = ports[source].recv(FRAME_BYTES)
        if not data:
            raise ConnectionResetError
        others = [port for port in range(len(ports)) if port != source]
        for port in others if data[0] & 1 else [data[5]]:
            if port in others:
                give(ports[port], data)


def hub(ports):
    selector = selectors.DefaultSelector()
    for number, port in enumerate(ports):
        port.setblocking(False)
        selector.register(port, selectors.EVENT_READ, number)
    while selector.get_map():
        for key, _ in selector.select():
            try:
                forward(ports, key.data)
            except BlockingIOError:
                pass
            except ConnectionError:
                selector.unregister(key.fileobj)


if __name__ == '__main__':
    hub([socket.socket(fileno=int(number)) for number in sys.argv[1:]])
