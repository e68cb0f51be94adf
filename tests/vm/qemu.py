# QEMU: a guest is a virtual PC with Debian's stock kernel. For hosts where User Mode Linux can't run, and for programs built with a
# sanitizer, which need more address space than it has. Fast where the machine lets it use KVM, else 3 to 10 times slower.
import os
import re
import shutil
import socket
import subprocess
import sys

import wires

HERE = os.path.dirname(os.path.abspath(__file__))
BOOT_LIMIT_S = 300
LINE = '/dev/vport0p1'
SOCKET_KIND = socket.SOCK_DGRAM
PROGRAM = 'qemu-system-x86_64'
SHARED = 'trans=virtio,version=9p2000.L,cache=none,msize=512000'
# Without what a guest of seconds doesn't need: the console's words but errors, mitigations, checks of the clock
KERNEL_WORDS = 'console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable no_timer_check random.trust_cpu=on rcupdate.rcu_expedited=1'


def kernel():
    """(folder or None, what is missing)."""
    if not shutil.which(PROGRAM):
        return None, f'{PROGRAM} is missing; install the package qemu-system-x86'
    result = subprocess.run([f'{HERE}/kernel/stock.py', '--where'], stdout=subprocess.PIPE, text=True)
    if result.returncode == 0:
        return result.stdout.strip(), ''
    return None, 'no stock kernel in the cache; tests/vm/kernel/stock.py fetches it'


def has_kvm():
    """The device alone says nothing: some machines have it and can't run a stock guest."""
    with open('/proc/cpuinfo') as file:
        return os.access('/dev/kvm', os.R_OK | os.W_OK) and bool(re.search(r'\b(svm|vmx)\b', file.read()))


def share(number, _):
    """How a guest mounts a folder that it may write to."""
    return {'kind': '9p', 'options': SHARED, 'source': f'share{number}'}


def folder_options(name, path, *more):
    return ['-fsdev', ','.join([f'local,id={name},path={path},security_model=none,multidevs=remap', *more]),
            '-device', f'virtio-9p-pci,fsdev={name},mount_tag={name}']


def start(setup, node, wire):
    """(process, the runner's end of the guest's line)."""
    line, guest_end = socket.socketpair()
    passed = [guest_end.fileno()]
    words = f'{KERNEL_WORDS} -- {os.path.realpath(sys.executable)} -SE {HERE}/guest.py {setup.facts_file(node)}'
    machine = ['-accel', 'kvm', '-cpu', 'host', '-smp', '2'] if has_kvm() else ['-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '1']
    command = [PROGRAM, '-machine', 'q35', *machine, '-m', str(setup.memory_mb), '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot',
               '-kernel', f'{setup.kernel}/vmlinux', '-initrd', f'{setup.kernel}/initrd', '-append', words, '-serial', 'stdio',
               # the line comes first: LINE is the first virtio device's first port
               '-chardev', f'socket,id=line,fd={guest_end.fileno()}', '-device', 'virtio-serial-pci', '-device', 'virtserialport,chardev=line',
               '-device', 'virtio-rng-pci', *folder_options('host', '/', 'readonly=on')]
    for number, folder in enumerate(setup.writable):
        command += folder_options(f'share{number}', os.path.realpath(folder))
    if wire:
        passed.append(wire.fileno())
        command += ['-netdev', f'dgram,id=wire,local.type=fd,local.str={wire.fileno()}',
                    '-device', f'virtio-net-pci,netdev=wire,mac={wires.mac(node)},romfile=']
    with open(setup.console(node), 'wb') as console:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, process_group=0, pass_fds=passed)
    guest_end.close()
    return process, line
