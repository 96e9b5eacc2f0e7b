#!/bin/sh
# Writes three Debian packages into dist/: meridian (program, data, manual page, completion), libmeridian0 (the library) and
# libmeridian-dev (what a compiler needs: headers, archive, pkg-config, CMake).  What they depend on is read off the programs by
# dpkg-shlibdeps.  The same tree and tools write the same bytes: times are SOURCE_DATE_EPOCH, else that of the last commit.
#   make deb
# Exit 2, and one line, where a tool is missing.
set -eu
cd "$(dirname "$0")/../../.."
B=${B:-build} V=$VERSION
for tool in dpkg-deb dpkg-shlibdeps dpkg-architecture strip gzip; do
    command -v $tool >/dev/null || { echo "make deb: no $tool; apt-get install dpkg-dev binutils" >&2; exit 2; }
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH
arch=$(dpkg-architecture -qDEB_HOST_ARCH) triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
stage=$B/deb
rm -rf "$stage" && mkdir -p "$stage/debian" dist
umask 022
"${MAKE:-make}" -s install B="$B" DESTDIR="$stage/all" PREFIX=/usr LIBDIR="/usr/lib/$triplet" >/dev/null
mkdir -p "$stage/all/usr/share/zsh/vendor-completions" && mv "$stage/all/usr/share/zsh/site-functions/_meridian" "$stage/all/usr/share/zsh/vendor-completions/"
cp "$B/shared/meridian" "$stage/all/usr/bin/meridian" # Debian's packages have no copies of MPFR and GMP in them
strip --strip-unneeded -R .comment -R .note "$stage/all/usr/bin/meridian" "$stage/all/usr/lib/$triplet/libmeridian.so.$V"
strip --strip-debug -R .comment -R .note -D "$stage/all/usr/lib/$triplet/libmeridian.a"
gzip -9n "$stage/all/usr/share/man/man1/meridian.1"

# take PACKAGE PATH ...: moves paths below /usr of the whole into a package.
take() {
    to=$1 && shift
    for path in "$@"; do
        mkdir -p "$stage/$to/usr/$(dirname "$path")"
        mv "$stage/all/usr/$path" "$stage/$to/usr/$path"
    done
}
take libmeridian-dev include lib/$triplet/libmeridian.a lib/$triplet/libmeridian.so lib/$triplet/pkgconfig lib/$triplet/cmake
take libmeridian0 lib/$triplet/libmeridian.so.0 lib/$triplet/libmeridian.so.$V
take meridian bin share
left=$(find "$stage/all" ! -type d)
[ -z "$left" ] || { echo "make deb: in no package: $left" >&2; exit 1; }

# needs FILE: what dpkg-shlibdeps reads off it.
needs() { (cd "$stage" && printf 'Source: meridian\n\nPackage: meridian\nArchitecture: any\n' >debian/control && dpkg-shlibdeps -O --ignore-missing-info "$1" 2>/dev/null | sed 's/^shlibs:Depends=//'); }

# package NAME SECTION DEPENDS SUMMARY: writes it; the rest of the description is read.
package() {
    root=$stage/$1 doc=$stage/$1/usr/share/doc/$1
    mkdir -p "$root/DEBIAN" "$doc"
    { printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nCopyright: 2026 the meridian authors\nLicense: Expat\n'
      sed -n '5,$p' LICENSE | sed 's/^$/./; s/^/ /'; } >"$doc/copyright"
    printf 'meridian (%s) unstable; urgency=low\n\n  * The tree of this version as packages.\n\n -- the meridian authors <meridian@meridian.invalid>  %s\n' "$V" \
        "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
    find "$root" -type d -exec chmod 755 {} +
    find "$root/usr" -type f ! -path '*/bin/*' -exec chmod 644 {} +
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
    { printf 'Package: %s\nSource: meridian\nVersion: %s\nArchitecture: %s\nMaintainer: the meridian authors <meridian@meridian.invalid>\n' "$1" "$V" "$arch"
      printf 'Installed-Size: %s\n' "$(du -sk --apparent-size "$root/usr" | cut -f1)"
      [ -z "$3" ] || printf 'Depends: %s\n' "$3"
      printf 'Section: %s\nPriority: optional\n' "$2"
      [ "$2" = math ] || echo 'Multi-Arch: same'
      printf 'Description: %s\n' "$4"
      sed 's/^/ /'; } >"$root/DEBIAN/control"
    dpkg-deb --root-owner-group -Zxz --build "$root" "dist/${1}_${V}_$arch.deb" >/dev/null
    echo "dist/${1}_${V}_$arch.deb: $(wc -c <"dist/${1}_${V}_$arch.deb") bytes"
}

mkdir -p "$stage/libmeridian0/DEBIAN"
printf 'activate-noawait ldconfig\n' >"$stage/libmeridian0/DEBIAN/triggers"
printf 'libmeridian 0 libmeridian0 (>= %s)\n' "$V" >"$stage/libmeridian0/DEBIAN/shlibs"
{ echo 'libmeridian.so.0 libmeridian0 #MINVER#'
  nm -D --defined-only "$stage/libmeridian0/usr/lib/$triplet/libmeridian.so.$V" | awk -v v="$V" '{ print " " $3 "@Base " v }' | LC_ALL=C sort; } >"$stage/libmeridian0/DEBIAN/symbols"
package meridian math "$(needs meridian/usr/bin/meridian)" "referee for position encodings and attention of Transformers" <<'END_OF_TEXT'
Judges implementations of position encodings and attention against an
arbitrary-precision reference with certified radii: bounds are derived for
every element, mistakes are named, and no tolerance is chosen. Subjects are
shared libraries, processes in any language, and folders of recorded arrays.
END_OF_TEXT
package libmeridian0 libs "$(needs "libmeridian0/usr/lib/$triplet/libmeridian.so.$V")" "correctly rounded position tables and attention for C" <<'END_OF_TEXT'
Position tables that are correctly rounded by guarantee, rotations and
attention in float32 and bfloat16, with kernels for AVX2 and AVX-512 that are
chosen at run time.
END_OF_TEXT
package libmeridian-dev libdevel "libmeridian0 (= $V)" "correctly rounded position tables and attention - development files" <<'END_OF_TEXT'
Headers, the archive, and what pkg-config and CMake read, for programs that
use libmeridian and for plug-ins in C or C++ that the program meridian judges.
END_OF_TEXT
