# shellcheck shell=bash
# Sourced by the scripts of this folder: the repository's root, error exit, data directory, help.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Prints "<script>: <sentence>" on stderr and ends the script with code 1.
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Prints the directory of the data sets as an absolute path, whether or not it exists.
data_dir() {
  realpath -m -- "${TRILEMMA_DATA_DIR:-$root/data}"
}

# Open MPI refuses to start as root without two explicit settings; a container's only user often is root.
if ((EUID == 0)); then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# --help prints the script's head comment.
if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0"
  exit
fi
