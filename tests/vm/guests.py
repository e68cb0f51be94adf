#!/usr/bin/env python3
"""guests.py [OPTIONS] -- COMMAND...     boots guests with an RDMA device, runs the command in each at the same time, ends them
guests.py [OPTIONS] --batch FILE      one boot, then each line of FILE as a command for a shell, in step

The guests run the host's files in the caller's folder and may change what they like: it's gone at the end, but for the folders
named by --writable. NODE_ID, NODES, IP, PEERS (addresses), NETDEV are set; guest number 0 is called n0. Every line of output
carries the guest's name. Exit code: the first that isn't 0, in the guests' order; 124 past the time limit; 125 a guest that
died, hung or didn't come up; 77 they can't run here, and why.
"""
import argparse
import signal
import sys
import time

from cluster import LOST, Cluster, Setup, Trouble
from frames import Kind
import qemu
import uml

CANNOT_RUN = 77


def say(words):
    print(f'guests: {words}', file=sys.stderr, flush=True)


class Labels:
    """Puts the guest's name before every line; a line goes out whole."""

    def __init__(self):
        self.begun = {}

    def __call__(self, name, kind, data):
        stream = sys.stderr.buffer if kind == Kind.ERRORS else sys.stdout.buffer
        *lines, rest = (self.begun.get((name, kind), b'') + data).split(b'\n')
        self.begun[name, kind] = rest
        stream.write(b''.join(name.encode() + b'| ' + line + b'\n' for line in lines))
        stream.flush()

    def finish(self):
        for (name, kind), rest in list(self.begun.items()):
            if rest:
                self(name, kind, b'\n')
        self.begun.clear()


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-n', '--guests', type=int, default=1, metavar='N', help='how many (1)')
    parser.add_argument('--time-limit', type=float, default=60, metavar='S', help='for each command (60)')
    parser.add_argument('--memory', type=int, default=256, metavar='MB', help='of each guest (256)')
    parser.add_argument('--device', choices=['rxe', 'siw', 'none'], default='rxe', help='soft-RoCE, iWARP (rxe)')
    parser.add_argument('--mtu', type=int, default=4200)
    parser.add_argument('--on', metavar='NAME,...', help='guests that run the command (all)')
    parser.add_argument('--writable', action='append', default=[], metavar='FOLDER', help="a folder of the host's to write to; may be repeated")
    parser.add_argument('--batch', metavar='FILE')
    machine = parser.add_mutually_exclusive_group()
    machine.add_argument('--uml', dest='machine', action='store_const', const=uml, default=uml, help='User Mode Linux (this unless told)')
    machine.add_argument('--qemu', dest='machine', action='store_const', const=qemu, help='a virtual PC with the stock kernel')
    parser.add_argument('command', nargs='*')
    chosen = parser.parse_args()
    if bool(chosen.command) == bool(chosen.batch):
        parser.error('a command or --batch, one of them')
    return chosen


def code_of(codes, cluster):
    """A guest that a test killed on purpose counts no more, unless nothing else ran."""
    counted = [code for name, code in codes.items() if not cluster.guest(name).killed]
    if not counted or LOST in counted:
        return LOST
    return next((code for code in counted if code), 0)


def run_batch(cluster, chosen, names):
    """Goes on after a failure, not after the loss of a guest."""
    first = 0
    with open(chosen.batch) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith('#')]
    for line in lines:
        began = time.monotonic()
        code = run_one(cluster, ['/bin/sh', '-c', line], chosen, names)
        left = cluster.sweep()
        for name, what in left.items():
            say(f'{name}: left behind: {", ".join(what)}')
        say(f'{"passed" if code == 0 else f"failed ({code})"} in {time.monotonic() - began:.1f} s: {line}')
        first = first or code
        if not cluster.alive():
            return first or LOST
    return first


def run_one(cluster, command, chosen, names):
    labels = Labels()
    codes = cluster.run(command, labels, names, chosen.time_limit)
    labels.finish()
    for name, code in codes.items():
        if cluster.guest(name).killed:
            say(f'{name}: killed as asked')
        elif code == LOST:
            say(f'{name}: lost{cluster.last_words(cluster.guest(name))}')
        elif code:
            say(f'{name}: exit code {code}' + (f', past the limit of {chosen.time_limit:g} s' if code == 124 else ''))
    return code_of(codes, cluster)


def main():
    chosen = arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    kernel, missing = chosen.machine.kernel()
    if missing:
        say(f'skipped: {missing}')
        return CANNOT_RUN
    setup = Setup(chosen.machine, kernel, chosen.guests, chosen.memory, chosen.device, chosen.mtu, tuple(chosen.writable))
    names = chosen.on.split(',') if chosen.on else None
    try:
        with Cluster(setup) as cluster:
            if chosen.batch:
                return run_batch(cluster, chosen, names)
            command = ['/bin/sh', '-c', chosen.command[0]] if len(chosen.command) == 1 else chosen.command
            return run_one(cluster, command, chosen, names)
    except Trouble as trouble:
        say(str(trouble))
        return LOST
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


sys.exit(main())
