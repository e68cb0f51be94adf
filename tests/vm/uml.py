# User Mode Linux: a guest is a process. Which kernel, whether it can run here, and how a guest starts.
# The kernel is WEFT_VM_KERNEL, else what kernel/build.sh has put into the cache.
import os
import platform
import shutil
import socket
import subprocess
import sys

import wires

HERE = os.path.dirname(os.path.abspath(__file__))
BOOT_LIMIT_S = 60
PAGES = '/dev/shm'
TRACE_ME = 'import ctypes, sys; sys.exit(ctypes.CDLL(None).ptrace(0, 0, 0, 0) != 0)'
LINE = '/dev/ttyS0'
SOCKET_KIND = socket.SOCK_SEQPACKET  # a datagram socket would hold ten frames, and then frames are lost


def kernel():
    """(path or None, what is missing)."""
    if platform.machine() != 'x86_64':
        return None, f'User Mode Linux runs on x86_64, this is {platform.machine()}'
    if subprocess.run([sys.executable, '-c', TRACE_ME]).returncode != 0:
        return None, 'User Mode Linux traces its processes, and ptrace is forbidden here; --qemu does not need it'
    named = os.environ.get('WEFT_VM_KERNEL')
    if named:
        return (named, '') if os.access(named, os.X_OK) else (None, f'WEFT_VM_KERNEL={named} is no program')
    result = subprocess.run([f'{HERE}/kernel/build.sh', '--where'], stdout=subprocess.PIPE, text=True)
    if result.returncode == 0:
        return result.stdout.strip(), ''
    return None, 'no kernel in the cache; tests/vm/kernel/build.sh builds it, or WEFT_VM_KERNEL names one'


def memory_folder(total_mb):
    """Guests' memory is a file without a name; where it lies must have room for all of it, and let programs run from there."""
    fits = os.path.isdir(PAGES) and shutil.disk_usage(PAGES).free > total_mb << 20 and not os.statvfs(PAGES).f_flag & os.ST_NOEXEC
    return PAGES if fits else None


def share(_, folder):
    """How a guest mounts a folder that it may write to."""
    return {'kind': 'hostfs', 'options': folder, 'source': 'none'}


def start(setup, node, wire):
    """(process, the runner's end of the guest's line)."""
    line, guest_end = socket.socketpair()
    number, python = guest_end.fileno(), os.path.realpath(sys.executable)
    command = [setup.kernel, f'mem={setup.memory_mb}M', 'root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro', f'init={python}',
               'con=null', 'con0=null,fd:2', 'ssl=null', f'ssl0=fd:{number},fd:{number}', 'quiet', 'panic=-1', f'uml_dir={setup.folder}', f'umid=n{node}',
               '--', '-SE', f'{HERE}/guest.py', setup.facts_file(node)]
    passed = [number]
    if wire:
        passed.append(wire.fileno())
        command.insert(1, f'vec0:transport=fd,fd={wire.fileno()},mac={wires.mac(node)},mtu={setup.mtu},vec=0,gro=0')
    folder = memory_folder(setup.memory_mb * setup.count) or setup.folder
    with open(setup.console(node), 'wb') as console:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, process_group=0,
                                   pass_fds=passed, env=os.environ | {'TMPDIR': folder})
    guest_end.close()
    return process, line
