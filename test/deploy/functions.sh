# Shared by the scripts beside it, which all have $work (a folder of this run) and $repository.

image() { buildah --root "$work/storage" --runroot "$work/run" "$@"; }

fail() {
  echo "FAILED: $*" >&2
  [ ! -s "$work/log" ] || tail -25 "$work/log" >&2
  exit 1
}

clean_up() {
  image rm --all >/dev/null 2>&1 || true
  # Only what is below our own folder: the machine's buildah has its own storage.
  findmnt --raw --noheadings --output TARGET | grep "^$work/" | sort -r | while read -r target; do umount -l "$target"; done || true
  rm -rf "$work"
}

# Waits until a command succeeds: seconds, command…
wait_for() {
  local until=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $until ] || return 1
    sleep 0.2
  done
}

# A list of the image's configuration, one entry per line: Entrypoint, Cmd, Healthcheck.Test.
configured() { image inspect --type image --format "{{range .Docker.Config.$1}}{{println .}}{{end}}" localhost/landbridge; }

# Starts a container in the background as an engine would: entry point and command of the image, as its user.
#   start_container <container> <log> [arguments of buildah run…]
start_container() {
  local container=$1 log=$2 command
  shift 2
  mapfile -t command < <(configured Entrypoint; configured Cmd)
  image run --isolation chroot "$@" "$container" -- "${command[@]}" >"$log" 2>&1 &
}

# Asks the image's own health check until it says yes: seconds, container.
wait_until_healthy() {
  local command
  mapfile -t command < <(configured Healthcheck.Test)
  [ "${command[0]:-}" = CMD ] || fail 'the image has no health check'
  wait_for "$1" image run --isolation chroot "$2" -- "${command[@]:1}"
}

# The service's process. It reports its own process id, which is the machine's: a chroot has no others.
pid_in() { sed -n 's/.*"msg":"ready".*"pid":\([0-9]*\).*/\1/p' "$1"; }
