#!/bin/sh
# Builds the guests' kernel, User Mode Linux from Debian's linux-source-6.1, into the cache, and prints where it lies.
#   build.sh           does nothing when the cache has this kernel already
#   build.sh --where   prints where it would lie, and ends with 1 if it isn't there; builds nothing
# The cache is WEFT_VM_CACHE, else XDG_CACHE_HOME/weft, else ~/.cache/weft. The kernel's name holds a sum over what it is made of: a
# change there builds anew. Two at the same time build it once.
# Needs what tools/packages lists for the stage vm, a network, and 2 GB while it builds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${WEFT_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft}
sum=$(cat "$here/uml.config" "$here/sched_clock.c" | cksum | cut -d' ' -f1)
kernel=$cache/linux-uml-6.1-$sum

if [ "${1:-}" = --where ]; then echo "$kernel"; [ -x "$kernel" ]; exit; fi
if [ -x "$kernel" ]; then echo "$kernel"; exit; fi

for command in gcc make flex bison bc xz apt-get dpkg-deb; do
  command -v "$command" >/dev/null || { echo "build.sh: $command is missing; tools/packages tells the package (stage vm)" >&2; exit 1; }
done
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
if [ -x "$kernel" ]; then echo "$kernel"; exit; fi
work=$(mktemp -d "$cache/building-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
log=$cache/linux-uml-6.1.log
{
  apt-get download linux-source-6.1 &&
  dpkg-deb --fsys-tarfile linux-source-6.1_*.deb | tar -xO ./usr/src/linux-source-6.1.tar.xz | tar -xJ &&
  cd linux-source-6.1 &&
  cat "$here/sched_clock.c" >>arch/um/kernel/time.c &&
  make ARCH=um KCONFIG_ALLCONFIG="$here/uml.config" allnoconfig
} >"$log" 2>&1 || { echo "build.sh: no source; see $log" >&2; exit 1; }
grep '^CONFIG' "$here/uml.config" | while read -r line; do
  grep -qxF "$line" .config || { echo "build.sh: the kernel does not accept $line" >&2; exit 1; }
done
make ARCH=um -j"$(nproc)" linux >>"$log" 2>&1 || { echo "build.sh: the build failed; see $log" >&2; exit 1; }
strip -o "$kernel.new" linux
mv "$kernel.new" "$kernel"
echo "$kernel"
