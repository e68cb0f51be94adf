#!/usr/bin/env python3
"""Includes between the floors of runtime/ only go down, in the order runtime/meson.build lists them; a folder in runtime/ is a floor.

usage: floors.py RUNTIME
"""
import pathlib
import re
import sys


def main():
    runtime = pathlib.Path(sys.argv[1])
    floors = re.findall(r"'(\w+)'", re.search(r'floors = \[(.*?)\]', (runtime / 'meson.build').read_text(), re.S)[1])
    wrong = [f'{folder.name}: a folder of runtime/ that is no floor'
             for folder in runtime.iterdir() if folder.is_dir() and folder.name not in floors]
    for path in sorted(runtime.glob('*/**/*.[hc]pp')):
        own = floors.index(path.relative_to(runtime).parts[0])
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"(\w+)/', line)
            if found and found[1] in floors and floors.index(found[1]) > own:
                wrong.append(f'{path.relative_to(runtime)}:{number}: {floors[own]} includes {found[1]}, which is above it')
            elif re.match(r'\s*#\s*include\s+"', line) and not (found and found[1] in floors):
                wrong.append(f'{path.relative_to(runtime)}:{number}: names its floor in no way: {line.strip()}')
    sys.exit('\n'.join(wrong) or 0)


main()
