# shellcheck shell=sh
# Makes sure that what weft needs is installed. Sourced by tools/quickstart and tools/check, never run by itself:
#   . tools/prepare.sh; need_packages build test
# The list is tools/packages. Prints what it will install before it does so; asks nothing; does nothing when all is there.

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# The packages of the given stages that are not installed.
missing_packages() {
  for stage in "$@"; do
    sed -n "s/^$stage //p" tools/packages | while read -r package; do
      dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || printf '%s ' "$package"
    done
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1; then sudo "$@"
  else die "cannot install packages: not root and there is no sudo; as root, run: $*"
  fi
}

need_packages() {
  if ! command -v dpkg-query >/dev/null 2>&1; then
    say "this is no Debian; it must have what these packages hold: $(for s in "$@"; do sed -n "s/^$s //p" tools/packages; done | tr '\n' ' ')"
    need_commands
    return
  fi
  missing=$(missing_packages "$@")
  if [ -n "$missing" ]; then
    say "installing: $missing"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null ||
      die "apt-get update failed; is there a network, and are the package sources right? Needed: $missing"
    # shellcheck disable=SC2086 # a list of words
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing </dev/null ||
      die "apt-get could not install: $missing"
  fi
  need_commands
}

need_commands() {
  for command in ${CXX:-g++} meson ninja pkg-config; do
    command -v "$command" >/dev/null 2>&1 || die "$command is missing; install it, or see tools/packages for the package"
  done
}

# configure FOLDER OPTIONS...: sets a build folder up, or brings an old one up to date.
configure() {
  folder=$1; shift
  if [ -f "$folder/build.ninja" ]; then meson configure "$folder" "$@"
  else meson setup "$folder" "$@"
  fi
}
