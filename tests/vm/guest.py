# Pid 1 of a guest:  guest.py FACTS-FILE . Its root is the host's, read only. Lays a layer in memory over it, goes on there, mounts
# the kernel's file systems, sets up name, network and RDMA device, and becomes the service. Starts few programs, for they are slow
# in a guest. An error ends pid 1 and so the kernel; its words are on the guest's console.
import ctypes
import json
import os
import resource
import socket
import subprocess
import sys

import service

LIBC = ctypes.CDLL(None, use_errno=True)
LAYER, ROOT = '/mnt', '/mnt/root'
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
DOOR = '/run/weft-vm-door'


def mount(kind, where, options='', source='none'):
    if LIBC.mount(source.encode(), where.encode(), kind.encode(), 0, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), f'mount -t {kind} -o {options!r} {source} {where}: {os.strerror(ctypes.get_errno())}')


def write(path, text):
    with open(path, 'w') as file:
        file.write(text)


def files(facts):
    """The host's tree with everything writable in memory; the folders to write to as the kind of guest has them."""
    mount('tmpfs', LAYER, 'size=75%')
    for name in ('upper', 'work', 'root'):
        os.mkdir(f'{LAYER}/{name}')
    mount('overlay', ROOT, f'lowerdir=/,upperdir={LAYER}/upper,workdir={LAYER}/work')
    for folder, share in facts['writable'].items():
        mount(share['kind'], ROOT + folder, share['options'], share['source'])
    os.chroot(ROOT)
    os.chdir('/')
    mount('proc', '/proc')
    mount('sysfs', '/sys')
    mount('devtmpfs', '/dev')
    for folder in ('/dev/shm', '/dev/pts'):
        os.makedirs(folder, exist_ok=True)
    mount('tmpfs', '/dev/shm')
    mount('devpts', '/dev/pts')
    mount('tmpfs', '/run')
    for folder in ('/run/tmp', '/run/lock'):
        os.mkdir(folder)
    for name, target in (('fd', 'fd'), ('stdin', 'fd/0'), ('stdout', 'fd/1'), ('stderr', 'fd/2')):
        if not os.path.lexists(f'/dev/{name}'):
            os.symlink(f'/proc/self/{target}', f'/dev/{name}')


def network(facts):
    """The card on the guests' wire, or a dummy for a guest alone; returns its name."""
    cards = os.listdir('/sys/class/net')
    card = next((name for name in ('vec0', 'eth0') if name in cards), 'dummy0')
    socket.sethostname(f'n{facts["node"]}')
    write('/etc/hosts', '127.0.0.1 localhost\n' + ''.join(f'{peer} n{node}\n' for node, peer in enumerate(facts['peers'])))
    write('/proc/sys/net/ipv6/conf/default/accept_dad', '0')  # an address is there at once
    commands = ['link set lo up'] + ['link add dummy0 type dummy'] * (card not in cards)
    commands += [f'link set {card} mtu {facts["mtu"]} up', f'address add {facts["peers"][facts["node"]]}/24 dev {card}']
    subprocess.run(['ip', '-batch', '-'], input='\n'.join(commands), text=True, check=True)
    return card


def main():
    with open(sys.argv[1]) as file:
        facts = json.load(file)
    os.environ.clear()
    os.environ |= {'PATH': PATH, 'HOME': '/root'}
    files(facts)
    card = network(facts)
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    device = facts['device']
    if device != 'none':
        subprocess.run(['rdma', 'link', 'add', f'{device}0', 'type', device, 'netdev', card], check=True)
    peers = facts['peers']
    own = {'NODE_ID': str(facts['node']), 'NODES': str(len(peers)), 'IP': peers[facts['node']], 'PEERS': ','.join(peers), 'NETDEV': card,
           'TMPDIR': '/run/tmp', 'VM_DOOR': DOOR}
    service.Service(facts['line'], own).run()


main()
