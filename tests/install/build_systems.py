#!/usr/bin/env python3
"""CMake, autoconf and meson find weft in a user's clean project: by PATH alone, by MPI_HOME alone, with gcc and with clang.

usage: build_systems.py BUILD SOURCE cmake|autoconf|meson
"""
import os
import pathlib
import re
import shutil
import sys

from staged import Staged, expect, expect_hello, run

pairs = [pair for pair in (('gcc', 'g++'), ('clang', 'clang++')) if shutil.which(pair[0])]


def runs(staged, folder, launcher):
    for name in ('hello_c', 'hello_cxx'):
        loaded = run('ldd', folder / name)
        found = re.search(r'libmpi_abi\.so\.0 => (\S+)', loaded)
        expect(found and pathlib.Path(found[1]).resolve().parent == staged.libraries, f'{name} loads another library:\n{loaded}')
        expect_hello(run(folder / name))
        expect_hello(run(launcher, '-n', 2, folder / name), 2)


def cmake(staged, project):
    without_path = {**staged.environment(), 'PATH': os.environ['PATH']}
    launcher = staged.names / 'bin/mpiexec'
    ways = [('path', staged.environment(), []), ('home', {**without_path, 'MPI_HOME': str(staged.names)}, []),
            ('option', without_path, [f'-DMPI_HOME={staged.names}'])]
    for way, environment, options in ways:
        for c, cxx in pairs:
            folder = staged.work / f'cmake-{way}-{c}'
            said = run('cmake', '-S', project, '-B', folder, f'-DCMAKE_C_COMPILER={c}', f'-DCMAKE_CXX_COMPILER={cxx}', *options,
                       env=environment)
            expect(f'version 5.0 5.0, launcher {launcher} -n' in said, f'CMake by {way} and {c} found:\n{said}')
            expect('options: ;;' in said, f'CMake by {way} and {c} took more than it needs:\n{said}')
            run('cmake', '--build', folder, env=environment)
            runs(staged, folder, launcher)


def autoconf(staged, project):
    sources = staged.work / 'sources' / 'project'
    shutil.copytree(project.parent, sources.parent)
    sources = sources.parent / 'autoconf'
    run('autoconf', cwd=sources)
    for c, cxx in pairs:
        folder = staged.work / f'autoconf-{c}'
        folder.mkdir()
        environment = staged.environment(WEFT_CC=c, WEFT_CXX=cxx)
        run(sources / 'configure', 'CC=mpicc', 'CXX=mpicxx', 'CFLAGS=-Wall -Werror', env=environment, cwd=folder)
        run('make', env=environment, cwd=folder)
        expect("ABI's version is 1." in (folder / 'Makefile').read_text(), 'configure read another mpi.h')
        runs(staged, folder, staged.names / 'bin/mpirun')


def meson(staged, project):
    # Meson believes Open MPI's pkg-config file before the wrappers on PATH: the first way is a machine without one
    ways = [('path', {'PKG_CONFIG_LIBDIR': '/nonexistent'}), ('pkgconfig', {'PKG_CONFIG_PATH': str(staged.names / 'pkgconfig')})]
    for way, more in ways:
        for c, cxx in pairs:
            folder = staged.work / f'meson-{way}-{c}'
            environment = staged.environment(CC=c, CXX=cxx, **more)
            run('meson', 'setup', folder, project, env=environment)
            run('ninja', '-C', folder, env=environment)
            runs(staged, folder, staged.names / 'bin/mpiexec')


def main():
    build, source, kind = sys.argv[1:]
    needed = {'cmake': 'cmake', 'autoconf': 'autoconf', 'meson': 'meson'}[kind]
    if shutil.which(needed) is None:
        sys.exit(77)
    staged = Staged(build)
    project = pathlib.Path(source) / 'tests/install' / kind
    if kind == 'meson':                          # meson would take the project for a part of ours
        shutil.copytree(project.parent, staged.work / 'sources')
        project = staged.work / 'sources/meson'
    {'cmake': cmake, 'autoconf': autoconf, 'meson': meson}[kind](staged, project)


main()
