# The archive of the sources: the same bytes from two clones of the commit under other masks and in other places, every file of the
# commit in it and nothing else, checksums that hold; an archive that is unpacked knows its targets.
set -eu
command -v git >/dev/null || { echo "no git"; exit 77; }
git -C "$TREE" rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "no git repository"; exit 77; }
version=$(sed -n 's/^VERSION = //p' "$TREE/Makefile")
for mask in 022 077; do
    umask $mask
    git clone -q --no-hardlinks --depth 1 "file://$TREE" clone$mask
    VERSION=$version sh clone$mask/harness/adapters/install/dist.sh >/dev/null
    (cd clone$mask/dist && sha256sum -c --quiet SHA256SUMS)
done
name=meridian-$version
cmp clone022/dist/$name.tar.gz clone077/dist/$name.tar.gz
tar -tzf clone022/dist/$name.tar.gz | grep -v '/$' | sed "s|^$name/||" | LC_ALL=C sort >in
git -C clone022 ls-files -z | tr '\0' '\n' | LC_ALL=C sort >of
cmp in of
tar -xzf clone022/dist/$name.tar.gz
make -n -C $name install PREFIX=/proc/nonexistent >log 2>&1 || { tail -3 log; exit 1; }
grep -q 'link .*meridian' log
echo "$(wc -l <in) files, $(wc -c <clone022/dist/$name.tar.gz) bytes, twice the same"
