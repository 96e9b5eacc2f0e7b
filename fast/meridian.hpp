// A plug-in of lambdas, C++17, header only; the C of it is meridian.h.
//
//     #include <meridian.hpp>
//     MERIDIAN_PLUGIN("mine", meridian::kernel("softmax", "p", "f32", "f32", [](const meridian::call &c) {
//         if (!c.only("x"))
//             return meridian::declined;
//         const auto x = c.in<float>("x");
//         const auto p = c.out<float>("p");
//         ...
//         return meridian::done;
//     }))
//
// A kernel names its row, its outputs, its element type and its profile, as struct mer_kernel does.  The lambda may
// capture; it is copied once, when the library is loaded.  It answers done, declined (another question than it knows:
// a SKIP) or failed, or returns nothing, which is done.  An exception does not leave it: its text is printed, and the
// answer is failed.  Arrays are dense; one of another name or element type than is asked for is an exception, too.
// SPDX-License-Identifier: MIT
#ifndef MERIDIAN_HPP
#define MERIDIAN_HPP
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#include "meridian.h"

namespace meridian {
enum answer { done = MER_OK, declined = MER_SKIP, failed = MER_BAD };
// The bits of a 16-bit real; what they mean is the call's element type.
enum class half : std::uint16_t {};

// Whether elements of an enum mer_type are of the C++ type T.
template <class T> constexpr bool holds(int type)
{
    using U = std::remove_const_t<T>;
    if constexpr (std::is_same_v<U, double>)
        return type == MER_F64;
    else if constexpr (std::is_same_v<U, float>)
        return type == MER_F32;
    else if constexpr (std::is_same_v<U, half>)
        return type == MER_F16 || type == MER_BF16;
    else if constexpr (std::is_same_v<U, std::int64_t>)
        return type == MER_I64;
    else if constexpr (std::is_same_v<U, std::int32_t>)
        return type == MER_I32;
    else
        return std::is_same_v<U, std::uint8_t> && type == MER_U8;
}

// An array of a call, row major: a(i, j, k), a[n] of all elements, a.extent(axis), a.size().  It owns nothing.
template <class T> class view {
public:
    explicit view(const mer_array &a) : at(static_cast<T *>(a.data)), rank_(a.rank)
    {
        for (int k = 0; k < a.rank; k++)
            dim[k] = a.dim[k];
    }
    int rank() const { return rank_; }
    std::int64_t extent(int axis) const { return dim[axis]; }
    std::int64_t size() const
    {
        std::int64_t n = 1;
        for (int k = 0; k < rank_; k++)
            n *= dim[k];
        return n;
    }
    T *data() const { return at; }
    T *begin() const { return at; }
    T *end() const { return at + size(); }
    T &operator[](std::int64_t n) const { return at[n]; }
    template <class... Index> T &operator()(Index... index) const
    {
        std::int64_t place = 0;
        int axis = 0;
        ((place = place * dim[axis++] + static_cast<std::int64_t>(index)), ...);
        return at[place];
    }

private:
    T *at;
    int rank_;
    std::int64_t dim[MER_RANK];
};

// One question: its parameters as text, its inputs and the outputs that are wanted.
class call {
public:
    explicit call(const mer_call &of) : c(&of) {}
    bool is(const char *parameter, const char *word) const { return mer_is(c, parameter, word); }
    std::int64_t integer(const char *parameter) const { return mer_int(c, parameter); }
    double real(const char *parameter) const { return mer_real(c, parameter); }
    std::string_view text(const char *parameter) const
    {
        const std::string_view rest = mer_text(c, parameter);
        return rest.substr(0, rest.find(' '));
    }
    // Whether no other inputs were brought than these, "q k v": a kernel that leaves one unread has to decline.
    bool only(const char *names) const { return mer_only(c, names); }
    bool has(const char *name) const { return mer_in(c, name) != nullptr; }
    bool wants(const char *name) const { return mer_out(c, name) != nullptr; }
    template <class T> view<const T> in(const char *name) const { return seen<const T>(mer_in(c, name), name); }
    template <class T> view<T> out(const char *name) const { return seen<T>(mer_out(c, name), name); }
    const mer_call &raw() const { return *c; }

private:
    template <class T> static view<T> seen(const mer_array *a, const char *name)
    {
        if (!a)
            throw std::invalid_argument(std::string("no array ") + name + " in this call");
        if (!holds<T>(a->type))
            throw std::invalid_argument(std::string("array ") + name + " has elements of another type");
        return view<T>(*a);
    }
    const mer_call *c;
};

// The function of C that stands for one lambda: each has a type of its own, and so a place of its own.
template <class F> struct place {
    static inline std::optional<F> function;
    static int run(const mer_call *of) noexcept
    {
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<F &, const call &>>)
                return (*function)(call(*of)), MER_OK;
            else
                return static_cast<int>((*function)(call(*of)));
        } catch (const std::exception &e) {
            std::fprintf(stderr, "%s\n", e.what());
        } catch (...) {
            std::fprintf(stderr, "an exception of no known type\n");
        }
        return MER_BAD;
    }
};

// gauge: the claimed worst error, as in struct mer_kernel; 0 claims nothing.  A lambda is one
// kernel: a second of the same type, as a function that makes lambdas would give, ends the program that loads it.
template <class F>
mer_kernel kernel(const char *row, const char *out, const char *type, const char *profile, F f, double gauge = 0)
{
    if (place<F>::function) {
        std::fprintf(stderr, "meridian::kernel: a lambda of this type is a kernel already; write a second one\n");
        std::abort();
    }
    place<F>::function.emplace(std::move(f));
    mer_kernel k{};
    k.row = row, k.out = out, k.type = type, k.profile = profile, k.gauge = gauge, k.run = place<F>::run;
    return k;
}

// The kernels with the entry that ends them.
class plugin {
public:
    plugin(const char *name, std::initializer_list<mer_kernel> of) : kernels(of)
    {
        kernels.push_back(mer_kernel{});
        table.abi = MER_ABI, table.name = name, table.kernel = kernels.data();
    }
    const mer_plugin *get() const { return &table; }

private:
    std::vector<mer_kernel> kernels;
    mer_plugin table{};
};
} // namespace meridian

// Exports the one symbol that a plug-in has: MERIDIAN_PLUGIN("name", kernel, kernel ...).
#define MERIDIAN_PLUGIN(name, ...)                                                                                     \
    extern "C" __attribute__((visibility("default"))) const mer_plugin *meridian_plugin(void);                         \
    const mer_plugin *meridian_plugin(void)                                                                            \
    {                                                                                                                  \
        static const meridian::plugin all{name, {__VA_ARGS__}};                                                        \
        return all.get();                                                                                              \
    }
#endif
