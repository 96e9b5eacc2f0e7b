#!/bin/sh
# Writes the sources of the last commit as dist/meridian-VERSION.tar.gz, and dist/SHA256SUMS of everything that lies in dist.  The same
# commit gives the same bytes: names are sorted, owners are none, times are that of the commit (SOURCE_DATE_EPOCH), gzip writes no name.
#   make dist
# What git does not know of is not in it; a tree with changes is said.
set -eu
cd "$(dirname "$0")/../../.."
git rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "make dist: no git repository here; the archive is made of a commit" >&2; exit 2; }
name=meridian-$VERSION
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
[ -z "$(git status --porcelain)" ] || echo "make dist: changes that are not committed are left out" >&2
own=$(mktemp -d) && trap 'rm -rf "$own"' EXIT
mkdir -p dist
git archive --format=tar --prefix="$name/" HEAD | tar -C "$own" -xf -
tar -C "$own" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=u=rwX,go=rX -cf - "$name" |
    gzip -9n >"$own/$name.tar.gz"
mv "$own/$name.tar.gz" dist/
(cd dist && find . -maxdepth 1 -type f ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
echo "dist/$name.tar.gz: $(wc -c <"dist/$name.tar.gz") bytes; dist/SHA256SUMS"
