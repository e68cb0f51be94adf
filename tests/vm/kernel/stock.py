#!/usr/bin/python3
"""stock.py [--where]: Debian's own kernel for guests in QEMU, into the cache; prints the folder, which holds vmlinux and initrd.

Does nothing when the cache has it; --where only looks, and ends with 1 if it isn't there. The cache is WEFT_VM_CACHE, else
XDG_CACHE_HOME/weft, else ~/.cache/weft. Needs what tools/packages lists for the stage vm, and a network.
"""
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
BUSYBOX = '/bin/busybox'
# crc32_generic: rxe asks for it by an alias that only modprobe knows
MODULES = ('virtio_pci virtio_console virtio_rng 9p 9pnet_virtio overlay virtio_net dummy sch_netem '
           'crc32_generic rdma_rxe rdma_ucm ib_umad siw').split()
ABSENT = {'siw'}  # not built by Debian 12


def place():
    cache = os.environ.get('WEFT_VM_CACHE') or os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'weft')
    sources = b''.join((HERE / name).read_bytes() for name in ('stock.py', 'stock_init.sh'))
    return pathlib.Path(cache) / f'linux-stock-{hashlib.sha256(sources).hexdigest()[:10]}'


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def unpacked_kernel(image):
    """A kernel that an emulator needn't unpack boots in a third of the time; what isn't packed by xz stays as it is."""
    begin = (image[0x1f1] + 1) * 512 + struct.unpack_from('<I', image, 0x248)[0]
    return lzma.LZMADecompressor().decompress(image[begin:]) if image[begin:begin + 6] == b'\xfd7zXZ\0' else image


def modules_in_order(folder):
    """What MODULES and what they need hold, every module after those it needs, as each file says itself."""
    files = {re.sub(r'\.ko.*', '', path.name).replace('-', '_'): path for path in folder.rglob('*.ko*')}
    built_in = (folder / 'modules.builtin').read_text().replace('-', '_')
    order = {}

    def add(name):
        if name not in files:
            if name not in ABSENT and f'/{name}.ko' not in built_in:
                sys.exit(f'stock.py: this kernel has no {name}')
        elif name not in order:
            data = files[name].read_bytes()
            data = lzma.decompress(data) if files[name].suffix == '.xz' else data
            for need in re.search(rb'\0depends=([^\0]*)', data).group(1).decode().split(','):
                if need:
                    add(need.replace('-', '_'))
            order[name] = data

    for name in MODULES:
        add(name)
    return order.values()


class Archive:
    """An initial file system: cpio, the 'newc' form."""

    def __init__(self):
        self.parts, self.number = [], 0

    def add(self, name, mode, data=b'', device=(0, 0)):
        self.number += 1
        path = name.encode() + b'\0'
        fields = (self.number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
        head = b'070701' + b''.join(b'%08X' % field for field in fields) + path
        for part in (head, data):
            self.parts.append(part + b'\0' * (-len(part) % 4))

    def bytes(self):
        self.add('TRAILER!!!', 0)
        return b''.join(self.parts)


def initial_files(modules):
    archive = Archive()
    for folder in ('bin', 'dev', 'modules', 'host'):
        archive.add(folder, 0o040755)
    archive.add('dev/console', 0o020600, device=(5, 1))
    archive.add('bin/busybox', 0o100755, pathlib.Path(BUSYBOX).read_bytes())
    archive.add('init', 0o100755, (HERE / 'stock_init.sh').read_bytes())
    for number, data in enumerate(modules):
        archive.add(f'modules/{number:02}', 0o100644, data)
    return archive.bytes()


def build(folder):
    for command in ('apt-get', 'dpkg-deb', BUSYBOX):
        if not shutil.which(command):
            sys.exit(f'stock.py: {command} is missing; tools/packages tells the package (stage vm)')
    package = re.search(r'linux-image-[\d.-]+-amd64', run('apt-cache', 'depends', 'linux-image-amd64')).group()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='building-', dir=folder.parent) as work:
        run('apt-get', 'download', package, cwd=work, stderr=subprocess.DEVNULL)
        run('dpkg-deb', '-x', str(next(pathlib.Path(work).glob('*.deb'))), f'{work}/unpacked')
        version = package.removeprefix('linux-image-')
        ready = pathlib.Path(work) / 'ready'
        ready.mkdir()
        (ready / 'vmlinux').write_bytes(unpacked_kernel(pathlib.Path(f'{work}/unpacked/boot/vmlinuz-{version}').read_bytes()))
        (ready / 'initrd').write_bytes(initial_files(modules_in_order(pathlib.Path(f'{work}/unpacked/lib/modules/{version}'))))
        ready.rename(folder)


def main():
    folder = place()
    there = (folder / 'initrd').exists()
    if not there and sys.argv[1:] != ['--where']:
        build(folder)
        there = True
    print(folder)
    return 0 if there else 1


sys.exit(main())
