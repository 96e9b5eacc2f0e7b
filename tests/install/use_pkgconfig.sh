# C by pkg-config: the installed library, shared and as an archive, and a plug-in of the installed header.
set -eu
command -v pkg-config >/dev/null || { echo "no pkg-config"; exit 77; }
PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
export PKG_CONFIG_PATH
cc -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags meridian) -o shared "$TREE/harness/adapters/examples/cmake/table.c" $(pkg-config --libs meridian)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir meridian) ./shared
cc -std=c11 $(pkg-config --cflags meridian) -o static "$TREE/harness/adapters/examples/cmake/table.c" -L"$PREFIX/lib" -l:libmeridian.a -lm
./static
cc -std=c11 -O2 -ffp-contract=off $(pkg-config --cflags meridian) -fPIC -shared -o rope.so "$TREE/harness/adapters/examples/rope.c" -lm
"$PREFIX/bin/meridian" judge ./rope.so --row rope --few >said || { tail -3 said; exit 1; }
grep -q ' 0 fail, 0 crash' said
echo "library shared and static, a plug-in: $(pkg-config --modversion meridian)"
