#!/usr/bin/env python3
"""libmpi_abi.so for the linker, from libweft.so; and libmpi_abi.so.0 beside it for programs that run from the build folder.

The standard wants a program to depend on libmpi_abi.so.0 and nothing else, so that it may run on another MPI. When a
program runs, that name leads to libweft.so itself; when it is linked, to this empty library of the same symbols, since
the name a linker notes down is the one inside the file.
usage: abi_library.py NM LIBWEFT LIBMPI_ABI LIBMPI_ABI.0 -- CC...
"""
import os
import subprocess
import sys


def main():
    nm, weft, linked, loaded, _, *compiler = sys.argv[1:]
    table = subprocess.run([nm, '-D', '--defined-only', weft], check=True, capture_output=True, text=True).stdout
    names = [line.split()[-1] for line in table.splitlines()]
    source = ''.join(f'void {name}(void) {{}}\n' for name in names)
    subprocess.run([*compiler, '-shared', '-nostdlib', '-fPIC', '-Wl,-soname,' + os.path.basename(loaded),
                    '-x', 'c', '-', '-o', linked], input=source, check=True, text=True)
    if os.path.lexists(loaded):
        os.unlink(loaded)
    os.symlink(os.path.relpath(weft, os.path.dirname(loaded)), loaded)


main()
