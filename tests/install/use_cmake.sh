# C++ and CMake: the example project finds the package, builds a plug-in of a lambda, and ctest judges it, good and bad; the same after
# the whole tree was moved; another version is not found.
set -eu
command -v cmake >/dev/null || { echo "no cmake"; exit 77; }
command -v g++ >/dev/null || { echo "no g++"; exit 77; }
cp -r "$TREE/harness/adapters/examples/cmake" project
cp -r "$PREFIX" moved
for where in "$PREFIX" "$PWD/moved"; do
    rm -rf build
    cmake -S project -B build -DCMAKE_PREFIX_PATH="$where" -DCMAKE_CXX_FLAGS="-O2 -ffp-contract=off -Wall -Wextra -Wshadow -Wconversion -Werror" >log 2>&1 || { cat log; exit 1; }
    cmake --build build >log 2>&1 || { cat log; exit 1; }
    grep -q "meridian_EXECUTABLE:FILEPATH=$where/bin/meridian" build/CMakeCache.txt
    LD_LIBRARY_PATH=$where/lib ctest --test-dir build --output-on-failure >log 2>&1 || { cat log; exit 1; }
    grep -q '100% tests passed, 0 tests failed out of 3' log
done
# What stands behind WILL_FAIL is the mistake and nothing else.
"$PREFIX/bin/meridian" judge build/rope_shifted.so --row rope --few >said && exit 1
grep -q 'matches rope.pos' said || { grep -E 'FAIL|matches' said | head; exit 1; }
sed -i 's/find_package(meridian 0.1 /find_package(meridian 0.2 /' project/CMakeLists.txt
cmake -S project -B other -DCMAKE_PREFIX_PATH="$PREFIX" >log 2>&1 && exit 1
grep -q 'compatible with' log
echo "find_package, a lambda as plug-in, ctest good and bad, moved, another version refused"
