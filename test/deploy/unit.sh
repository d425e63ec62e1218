#!/usr/bin/env bash
# Whether the service can live with what its unit forbids it: a systemd in separate namespaces starts, restarts and stops it.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
skip() { echo "SKIPPED: landbridge.service under systemd: $1"; exit 0; }

# A separate control group, below which that systemd keeps its services: version 2, or the named one of version 1.
tree=/sys/fs/cgroup
[ -f $tree/cgroup.controllers ] || tree=$tree/systemd
group=$tree/landbridge-deploy.$$
mkdir "$group" 2>"$work/why" || skip "no control group can be created ($(tail -1 "$work/why"))"
remove_group() { find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null || true; }
trap remove_group EXIT

container=$(image from localhost/landbridge)
image run --isolation chroot --user 0 "$container" -- sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends systemd' >"$work/log" 2>&1 ||
  fail 'systemd cannot be installed'
root=$(image mount "$container")
mv "$root/app" "$root/opt/landbridge"
install -m 644 "$repository/deploy/landbridge.service" "$root/etc/systemd/system/"
ln -s /etc/systemd/system/landbridge.service "$root/etc/systemd/system/multi-user.target.wants/"

cat >"$work/boot.sh" <<'BOOT'
set -e
ip link set lo up
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
if [ "${tree##*/}" = systemd ]; then
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
else
  mount -t cgroup2 cgroup2 sys/fs/cgroup
fi
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do touch dev/$device; mount --bind /dev/$device dev/$device; done
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
# Not chroot: the kernel gives no user namespace (PrivateUsers=) to a process in one.
mkdir -p former
pivot_root . former
umount -l /former
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
BOOT
export root tree
# The shell enters the group before the namespace of groups begins, so that the group is all that systemd sees.
(
  echo $BASHPID >"$group/cgroup.procs" && exec unshare --mount --net --pid --fork --kill-child --uts --ipc --cgroup bash "$work/boot.sh"
) >"$work/boot.log" 2>&1 </dev/null &
outer=$!
stop_systemd() {
  kill -KILL "$outer" 2>/dev/null || true
  wait "$outer" 2>/dev/null || true
  for _ in $(seq 50); do [ -z "$(find "$group" -name cgroup.procs -exec cat {} + 2>/dev/null)" ] && break; sleep 0.1; done
  remove_group
}
trap stop_systemd EXIT

inside() { nsenter --target "$(pgrep -P "$outer")" --mount --pid --net --uts --ipc --root "$@"; }
wait_for 60 inside systemctl is-system-running --wait || inside systemctl list-units >/dev/null 2>&1 ||
  skip "systemd does not start here ($(tail -1 "$work/boot.log"))"
ready() { inside /opt/landbridge/node_modules/.bin/node -e 'fetch("http://127.0.0.1:8080/readyz").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))'; }
fail_with_journal() { inside journalctl --no-pager -u landbridge >"$work/log" 2>&1 || true; fail "$@"; }
wait_for 60 ready || fail_with_journal 'landbridge.service: not ready'

pid=$(inside systemctl show --property MainPID --value landbridge)
inside grep -q '^NoNewPrivs:.1' "/proc/$pid/status" || fail 'landbridge.service runs without its restrictions'
inside sh -c "kill -KILL $pid"
sleep 2
wait_for 60 ready || fail_with_journal 'landbridge.service: not back after it was killed'
inside systemctl stop landbridge
[ "$(inside systemctl show --property Result --value landbridge)" = success ] || fail_with_journal 'landbridge.service does not stop clean'
[ "$(inside stat -c '%U %a' /var/lib/landbridge)" = 'landbridge 700' ] || fail "the data folder: $(inside stat -c '%U %a' /var/lib/landbridge)"
# Wrong settings end it for good: another start would end the same way.
inside sh -c 'mkdir -p /etc/landbridge && echo PORT=much >/etc/landbridge/landbridge.env && systemctl start landbridge'
wait_for 30 inside systemctl is-failed landbridge || fail_with_journal 'wrong settings start it again and again'
echo 'landbridge.service under systemd: ready within its restrictions, back after a kill, stopped clean'
