# meridian.hpp: captures, exceptions, wrong names and types, nothing returned, two kernels, one lambda twice.
set -eu
command -v g++ >/dev/null || { echo "no g++"; exit 77; }
cat >part.cpp <<'EOF'
#include <cmath>
#include <meridian.hpp>
using meridian::call;
static mer_kernel exponential(const char *out)
{
    return meridian::kernel("softmax", out, "f32", "f32", [](const call &) {});
}
static const double one = 1;
#if KIND == 0
static const auto soft = [by = std::vector<double>{ one }](const call &c) {
    const auto x = c.in<float>("x");
    const auto p = c.out<float>("p");
    const std::int64_t n = x.extent(x.rank() - 1);
    if (!c.only("x") || c.real("scale") != 1 || !c.is("softmax1", "off") || c.has("keep"))
        return meridian::declined;
    for (std::int64_t r = 0; r < x.size() / n; r++) {
        double most = -INFINITY, sum = 0;
        for (std::int64_t k = 0; k < n; k++)
            most = std::fmax(most, double(x[r * n + k]));
        for (std::int64_t k = 0; k < n; k++)
            sum += std::exp(double(x[r * n + k]) - most);
        for (std::int64_t k = 0; k < n; k++)
            p[r * n + k] = float(std::exp(double(x[r * n + k]) - most) / sum * by[0]);
    }
    return meridian::done;
};
#elif KIND == 1
static const auto soft = [](const call &c) { c.in<float>("nonesuch"); };
#elif KIND == 2
static const auto soft = [](const call &c) { c.in<double>("x"); };
#elif KIND == 3
static const auto soft = [](const call &) { throw 3; };
#elif KIND == 4
static const auto soft = [](const call &) { return meridian::declined; };
#endif
#if KIND == 5
MERIDIAN_PLUGIN("part", exponential("p"), exponential("p"))
#else
MERIDIAN_PLUGIN("part", meridian::kernel("softmax", "p", "f32", "shift=f64 exp=f64:2 total=f64 div=f64", soft))
#endif
EOF
# kind EXIT WORDS: the judge of that kind ends so and says so.
kind() {
    g++ -std=c++17 -O1 -Wall -Wextra -Wno-unused-function -Werror -DKIND="$1" -I"$PREFIX/include" -fPIC -shared -o part.so part.cpp
    rc=0
    "$PREFIX/bin/meridian" judge ./part.so --row softmax --few >said 2>&1 || rc=$?
    [ $rc = "$2" ] && grep -q -e "$3" said || { echo "kind $1: exit $rc"; head -20 said; exit 1; }
}
kind 0 0 ' 0 fail, 0 crash'
kind 1 3 'no array nonesuch in this call'
kind 2 3 'array x has elements of another type'
kind 3 3 'an exception of no known type'
kind 4 77 'skipped'
kind 5 3 'a lambda of this type is a kernel already'
echo "captures, exceptions, names, types, a lambda twice"
