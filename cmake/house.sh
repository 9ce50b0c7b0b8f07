# What experiments/run and tests/run share: installing what cmake/packages.txt lists and the machine
# lacks, and building. They set `root` to the top of the repository before they source this.
#
# The package manager is called only when something is missing, so that a machine without a network
# works as soon as it has the packages.
# shellcheck shell=bash disable=SC2154

# packages_listed GROUP...: the names of the packages of these groups, one a line.
packages_listed() {
  local group
  for group in "$@"; do
    sed -e 's/#.*//' "$root/cmake/packages.txt" | while read -r its_group name; do
      if [ "$its_group" = "$group" ]; then echo "$name"; fi
    done
  done
}

# packages_missing GROUP...: those of them that are not installed, one a line.
packages_missing() {
  local name
  for name in $(packages_listed "$@"); do
    # shellcheck disable=SC2016  # dpkg-query expands it
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" != installed ]; then
      echo "$name"
    fi
  done
}

# packages_apt ARGUMENTS...: apt-get, as root, without questions, waiting for another one to end.
packages_apt() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -q -y -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@"
}

# packages_ensure GROUP...: installs what is missing; status 2 and a message if that cannot be done.
packages_ensure() {
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian system; it needs the likes of" \
      "$(packages_listed "$@" | paste -sd' ')." >&2
    return 0
  fi
  local missing log
  missing=$(packages_missing "$@" | paste -sd' ')
  if [ -z "$missing" ]; then return 0; fi
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    echo "Missing packages, and neither root nor sudo to install them." >&2
    echo "Ask for: apt-get install --no-install-recommends $missing" >&2
    return 2
  fi
  echo "Missing packages, to be installed with apt-get: $missing"
  # A bare machine has no package lists, and old lists name versions that are gone: update first.
  # shellcheck disable=SC2086  # one argument a package
  if ! log=$(packages_apt update 2>&1 &&
    packages_apt install --no-install-recommends $missing 2>&1); then
    echo "$log" | tail -n 20 >&2
    echo "Could not install them. Once the cause is mended, start again, or install by hand:" >&2
    echo "apt-get install --no-install-recommends $missing" >&2
    return 2
  fi
}

# build_preset PRESET LOG [TARGET...]: configures and builds, all targets unless some are named. A
# person sees the build's own progress; else nothing is said unless it fails. LOG is overwritten.
build_preset() {
  local preset=$1 log=$2 status=0 targets=()
  shift 2
  if [ $# -gt 0 ]; then targets=(--target "$@"); fi
  cmake -S "$root" --preset "$preset" >"$log" 2>&1 || status=$?
  if [ $status -eq 0 ] && [ -t 1 ]; then
    cmake --build "$root/build/$preset" "${targets[@]}"
    return
  elif [ $status -eq 0 ]; then
    cmake --build "$root/build/$preset" "${targets[@]}" >>"$log" 2>&1 || status=$?
  fi
  if [ $status -ne 0 ]; then
    grep -v '^\[[0-9/]*\] [BL]' "$log" | tail -n 80 >&2
    echo "Building the preset $preset failed." >&2
  fi
  return $status
}
