#!/usr/bin/env bash
# Proves deploy/: builds the image, runs it alone and as compose.yaml arranges it, and checks compose.yaml and the systemd unit.
# No image registry is needed: a base made by debootstrap replaces both base images. Needs root on a Debian, and
# installs what it uses. A part that this machine does not permit is reported as SKIPPED in one line.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo 'Start this as root: it builds a system image.'; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
cd "$repository"

packages=(buildah debootstrap haproxy docker-compose curl openssl iproute2 util-linux)
command -v systemd-analyze >/dev/null || packages+=(systemd)
DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=5 -o DPkg::Lock::Timeout=300 \
  install -y --no-install-recommends "${packages[@]}" >/dev/null

work=$(mktemp -d /tmp/landbridge-deploy.XXXXXX)
chmod 755 "$work"
export work repository
# shellcheck source=test/deploy/functions.sh
. "$here/functions.sh"
trap clean_up EXIT

"$here/check-settings.sh"
"$here/other-processor.sh"

skip() { echo "SKIPPED: image and containers: $1"; exit 0; }
unshare --mount --net --pid --fork --mount-proc true 2>"$work/why" || skip "this machine permits no namespaces ($(tail -1 "$work/why"))"
mknod "$work/device" c 1 3 2>"$work/why" || skip "this machine permits no device files ($(tail -1 "$work/why"))"

began=$SECONDS
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" | head -1)
debootstrap --variant=minbase "$suite" "$work/base" ${mirror:+"$mirror"} >"$work/log" 2>&1 || fail 'debootstrap failed'
# What Debian's own slim image leaves out.
rm -rf "$work"/base/var/{cache/apt/*,lib/apt/lists/*,log/*} "$work"/base/usr/share/{doc,info,locale,man}
container=$(image from scratch)
image add -q "$container" "$work/base" / >/dev/null
image commit -q --rm "$container" localhost/base >/dev/null
rm -rf "$work/base"
container=$(image from localhost/base)
image run --isolation chroot "$container" -- true 2>"$work/why" || skip "buildah cannot run here ($(tail -1 "$work/why"))"

# The replacement of the build image: Node.js and npm, and how this machine's npm reaches its registry.
npm install --silent --no-audit --no-fund --prefix "$work/npm" npm@11
image add -q "$container" "$work/npm/node_modules" /usr/local/lib/node_modules >/dev/null
image add -q "$container" "$(realpath node_modules/.bin/node)" /usr/local/bin/node >/dev/null
image run --isolation chroot "$container" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
image config --env npm_config_registry="$(npm config get registry)" "$container"
authorities=${NODE_EXTRA_CA_CERTS:-$(npm config get cafile)}
if [ -f "$authorities" ]; then
  image add -q "$container" "$authorities" "$authorities" >/dev/null
  image config --env NODE_EXTRA_CA_CERTS="$authorities" "$container"
fi
image commit -q --rm "$container" localhost/build >/dev/null
echo "base images: made in $((SECONDS - began)) s"

build() { # name, further arguments
  local name=$1 settings
  shift
  settings=$(npm config get userconfig)
  [ -f "$settings" ] && set -- "$@" --secret "id=npmrc,src=$settings"
  image build --isolation chroot --format docker --layers=false -f deploy/Containerfile -t "localhost/$name" \
    --build-arg BUILD_IMAGE=localhost/build --build-arg BASE_IMAGE=localhost/base \
    "$@" . >"$work/log" 2>&1 || fail "$name cannot be built"
}
began=$SECONDS
build landbridge
echo "image: built in $((SECONDS - began)) s"
"$here/check-contents.sh"
build landbridge-without-postgres --build-arg PRIVATE_POSTGRES=false

# Containers share network and process numbers with the machine: namespaces keep their ports apart from this
# machine's, and end every process however the script ends.
isolated() { unshare --mount --net --pid --fork --kill-child --mount-proc "$@"; }
isolated "$here/one-container.sh"
isolated "$here/three-processes.sh"
"$here/unit.sh"
