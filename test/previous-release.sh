#!/usr/bin/env bash
# Decision 3.9: runs the tests of the release before on the schema of this tree. `test/previous-release.sh <commit>` takes
# that commit for the release before.
set -euo pipefail
cd "$(dirname "$0")/.."
release=${1:-$(git tag --list 'v*' --sort=-v:refname | head -1)}
[ -n "$release" ] || { echo 'There is no release yet: nothing to compare with.'; exit 0; }

folder=$(mktemp -d)
trap 'git worktree remove --force "$folder/tree" 2>/dev/null || true; rm -rf "$folder"' EXIT
git worktree add --quiet --detach "$folder/tree" "$release"
migrations=$PWD/server/migrations
cd "$folder/tree"
npm ci --ignore-scripts --no-audit --no-fund
# Tests of the schema itself are of its own release.
LANDBRIDGE_TEST_MIGRATIONS=$migrations npm test -- 'server/src/{api,authorization,devices,directory,events}/**/*.test.ts'
