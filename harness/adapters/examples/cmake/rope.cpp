// A plug-in of a lambda: rotary embedding, angles in float64.  CMakeLists.txt beside it builds and judges it.
#include <algorithm>
#include <cmath>
#include <meridian.hpp>

#ifndef SHIFT
#define SHIFT 0 // another number is a mistake: every position is read as that much further on
#endif

MERIDIAN_PLUGIN("rope in C++",
    meridian::kernel("rope", "y", "f32",
        "exponent=f64 power=f64:2 freq=f64 phase=f64 table=f64:2 product=f64 sum=f64", [](const meridian::call &c) {
            if (!c.is("scaling", "default") || !c.is("partial", "prefix") || !c.only("x pos"))
                return meridian::declined;
            const auto x = c.in<float>("x");          // [h,n,d]
            const auto pos = c.in<std::int64_t>("pos"); // [n]
            const auto y = c.out<float>("y");
            const std::int64_t width = c.integer("rotary") ? c.integer("rotary") : c.integer("dim");
            const bool pairs = c.is("layout", "interleaved");
            std::copy(x.begin(), x.end(), y.begin());
            for (std::int64_t h = 0; h < x.extent(0); h++)
                for (std::int64_t i = 0; i < x.extent(1); i++)
                    for (std::int64_t k = 0; k < width / 2; k++) {
                        const double turn = std::pow(c.real("base"), -2.0 * double(k) / double(width));
                        const double angle = double(pos[i] + SHIFT) * turn;
                        const std::int64_t a = pairs ? 2 * k : k, b = pairs ? 2 * k + 1 : k + width / 2;
                        const double u = double(x(h, i, a)), v = double(x(h, i, b));
                        y(h, i, a) = float(u * std::cos(angle) - v * std::sin(angle));
                        y(h, i, b) = float(v * std::cos(angle) + u * std::sin(angle));
                    }
            return meridian::done;
        }))
