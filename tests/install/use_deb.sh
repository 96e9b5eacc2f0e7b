# The Debian packages: written twice with the same bytes, lintian has nothing to say, installed and removed in a root of their own;
# there the program judges, and a C program finds the library.
set -eu
for tool in dpkg dpkg-deb dpkg-shlibdeps pkg-config; do command -v $tool >/dev/null || { echo "no $tool"; exit 77; }; done
own=$PWD
for time in first second; do
    "$MAKE" -s -C "$TREE" deb B="$B" >log 2>&1 || { tail -3 log; exit 77; } # the line says which tool is missing
    (cd "$TREE/dist" && sha256sum ./*.deb) >$time
done
cmp first second
said="lintian is not here"
if command -v lintian >/dev/null; then
    lintian --fail-on warning,error "$TREE"/dist/*meridian*.deb >said 2>/dev/null || { cat said; exit 1; }
    [ ! -s said ] || { cat said; exit 1; }
    said="lintian has nothing to say"
fi
[ "$(id -u)" = 0 ] || { echo "written twice alike; $said; not installed: that takes root"; exit 0; }
root=$own/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
touch "$root/var/lib/dpkg/status"
debs="--root=$root --force-depends --log=$own/dpkg.log"
dpkg $debs -i "$TREE"/dist/libmeridian0_*.deb "$TREE"/dist/libmeridian-dev_*.deb "$TREE"/dist/meridian_*.deb >log 2>&1 || { cat log; exit 1; }
[ "$(grep -c '^Status: install ok' "$root/var/lib/dpkg/status")" = 3 ]
"$root/usr/bin/meridian" doctor judge | grep -q "2 of 2 there"
"$root/usr/bin/meridian" judge own:scalar --row softmax --few >/dev/null
lib=$(dirname "$(find "$root/usr/lib" -name libmeridian.so.0)")
PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
cc $(pkg-config --cflags meridian) -o table "$TREE/harness/adapters/examples/cmake/table.c" $(pkg-config --libs meridian)
LD_LIBRARY_PATH=$lib ./table
(cd "$root" && cat var/lib/dpkg/info/*.md5sums | md5sum -c --quiet)
dpkg $debs -P meridian libmeridian-dev libmeridian0 >log 2>&1 || { cat log; exit 1; }
left=$(find "$root" -path "$root/var" -prune -o ! -type d -print)
[ -z "$left" ] && [ ! -e "$root/usr/bin/meridian" ] || { echo "left: $left"; exit 1; }
echo "three packages, twice the same bytes; $said; installed, used, removed"
