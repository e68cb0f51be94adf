#!/usr/bin/env python3
"""The compilers' wrappers: what they answer, what they add and what not, by gcc and clang, installed and from the build folder.

usage: wrappers.py BUILD SOURCE
"""
import pathlib
import shutil
import sys

from staged import Staged, clean, expect, expect_hello, run

allowed = ('-I', '-L', '-Wl,-rpath,', '-lmpi_abi')


def answers(wrapper, version):
    def ask(*words):
        return run(wrapper, *words).split()
    compiler = ask('-showme:command')[0]
    compiling, linking = ask('-showme:compile'), ask('-showme:link')
    expect(all(word.startswith(allowed) for word in compiling + linking), f'{wrapper} adds {compiling} {linking}')
    expect(ask('--showme:compile') == compiling, f'{wrapper} --showme:compile')
    expect(ask('-show') == [compiler, *compiling, *linking], f'{wrapper} -show')
    expect(ask('-showme', 'x.c', '-O2') == [compiler, *compiling, 'x.c', '-O2', *linking], f'{wrapper} -showme x.c -O2')
    expect(ask('-show', '-c', 'x.c') == [compiler, *compiling, '-c', 'x.c'], f'{wrapper} -show -c x.c')
    expect(ask('-compile_info') == [compiler, *compiling], f'{wrapper} -compile_info')
    expect(ask('-link_info') == [compiler, *linking], f'{wrapper} -link_info')
    expect(ask('-showme:libs') == ['mpi_abi'], f'{wrapper} -showme:libs')
    expect([f'-I{folder}' for folder in ask('-showme:incdirs')] == compiling, f'{wrapper} -showme:incdirs')
    expect([f'-L{folder}' for folder in ask('-showme:libdirs')] == linking[:1], f'{wrapper} -showme:libdirs')
    expect(version in run(wrapper, '-showme:version'), f'{wrapper} -showme:version')
    expect(run(wrapper, '--version') == run(compiler, '--version'), f'{wrapper} --version is not the compiler\'s')


def compiles(wrapper, version, source, work, variable, compilers):
    program, unit = work / 'hello', work / 'hello.o'
    answers(wrapper, version)
    for compiler in filter(shutil.which, compilers):
        environment = {**clean(), variable: compiler}
        warnings = ['-Wall', '-Wextra', '-Wpedantic', '-Werror']
        run(wrapper, *warnings, source, '-o', program, env=environment)
        expect_hello(run(program))
        run(wrapper, *warnings, '-c', source, '-o', unit, env=environment)
        run(wrapper, *warnings, unit, '-o', program, env=environment)
        expect_hello(run(program))
        needed = [line for line in run('readelf', '-d', program).splitlines() if 'NEEDED' in line and ('mpi' in line or 'weft' in line)]
        expect(len(needed) == 1 and '[libmpi_abi.so.0]' in needed[0], f'{compiler}: the program depends on {needed}')
        expect(run(wrapper, '-dumpversion', env=environment) == run(compiler, '-dumpversion'), f'{compiler} -dumpversion')


def main():
    build, source = sys.argv[1:]
    staged = Staged(build)
    tests = pathlib.Path(source) / 'tests/install'
    version = run('meson', 'introspect', '--projectinfo', build)
    version = version.split('"version": "')[1].split('"')[0]
    built = pathlib.Path(build) / 'tools/wrapper'
    for folder, launcher in ((staged.prefix / 'bin', 'weftrun'), (built, 'mpirun')):
        compiles(folder / 'weftcc', version, tests / 'hello.c', staged.work, 'WEFT_CC', ['cc', 'clang'])
        compiles(folder / 'weftcxx', version, tests / 'hello.cpp', staged.work, 'WEFT_CXX', ['c++', 'clang++'])
        expect_hello(run(folder / launcher, '-n', 2, staged.work / 'hello'), 2)
    for folder in (staged.names / 'bin', built):
        for name in ('mpicc', 'mpicxx', 'mpic++', 'mpiCC'):
            answers(folder / name, version)
        expect_hello(run(folder / 'mpiexec', '-n', 2, staged.work / 'hello'), 2)


main()
