#!/usr/bin/env python3
"""The form of the sources: a file opens with a comment and stays under 400 lines, a function under 60, no tabs, no blanks at ends.

mpi.h is a table of the standard and as long as that; constexpr functions make_... fill tables. Where a function ends is told by
how far its braces are indented.
usage: form.py ROOT
"""
import pathlib
import re
import sys

folders = ['runtime', 'launcher', 'include', 'tools', 'tests', 'examples']
longest_file, longest_function, longest_line = 400, 60, 180
openers = {'.py': ('#', '"""'), '.sh': ('#',)}
machine = re.compile(r'/(work|root|home)/|/tmp/b[-]')
no_function = re.compile(r'\s*(namespace|class|struct|union|enum|extern|template<>|constexpr\s+\w+\s+(\w+\[|make_\w+)|.*=\s*\{$)')


def functions(lines):
    """(number of the first line, length) of what looks like functions at the outermost or the class level."""
    for indent in ('', '  '):
        start = None
        for number, line in enumerate(lines, 1):
            if line == indent + '}' and start:
                yield start, number - start + 1
                start = None
            elif line.endswith('{') and line[:len(indent)] == indent and line[len(indent):len(indent) + 1].strip():
                start = None if no_function.match(line) else number


def faults(path, text):
    lines = text.splitlines()
    if path.suffix != '.build' and not text.startswith(openers.get(path.suffix, ('//', '/*'))):
        yield 1, 'opens without a comment on what it is'
    if len(lines) >= longest_file and path.name != 'mpi.h':
        yield len(lines), f'{len(lines)} lines, {longest_file} hold two concerns'
    for number, line in enumerate(lines, 1):
        if '\t' in line or line != line.rstrip():
            yield number, 'tab, or blanks at the end'
        if machine.search(line):
            yield number, 'names a folder of somebody\'s machine'
        if len(line) > longest_line:
            yield number, f'{len(line)} characters, more than {longest_line}'
    if path.suffix in ('.cpp', '.hpp', '.c'):
        for number, length in functions(lines):
            if length >= longest_function:
                yield number, f'a function of {length} lines, {longest_function} are too many'


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = []
    for folder in folders:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in ('.cpp', '.hpp', '.c', '.h', '.py', '.sh') or path.name == 'meson.build':
                wrong += [f'{path.relative_to(root)}:{number}: {fault}' for number, fault in faults(path, path.read_text())]
    sys.exit('\n'.join(wrong) or 0)


main()
