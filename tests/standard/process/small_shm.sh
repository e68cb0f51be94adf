#!/bin/sh
# Runs a command where /dev/shm holds only so many MiB, as in a container (LA19): small_shm.sh MEBIBYTES COMMAND...
# Exit code 77 (skipped), with a word on why, where this process may not mount. Its own mount namespace ends with it.
size=$1
shift
if ! unshare -m true 2>/dev/null; then
  echo "skipped: no right to a mount namespace of one's own" >&2
  exit 77
fi
exec unshare -m sh -c 'mount -t tmpfs -o size="$0"m none /dev/shm && exec "$@"' "$size" "$@"
