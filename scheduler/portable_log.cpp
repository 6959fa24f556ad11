// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/portable_log.h"

#include <cmath>
#include <numbers>

namespace batchscope {

double portableLog(double x)
{
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent); // [0.5, 1), exact
    if (mantissa < 0.5 * std::numbers::sqrt2) {
        mantissa *= 2.0;
        --exponent;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)); |s| <= 0.172, so s^25 / 25 is below half a unit in the last place.
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    const double s2 = s * s;
    double sum = 0.0;
    for (int k = 25; k >= 1; k -= 2)
        sum = sum * s2 + 1.0 / k;
    return 2.0 * s * sum + exponent * std::numbers::ln2;
}

double portableExp(double x)
{
    // e^x = 2^k * e^r with |r| <= ln 2 / 2, where r^16 / 16! is below half a unit in the last place. ln 2 in two parts,
    // the first short enough that k times it is exact.
    constexpr double k_ln2_high = 0x1.62e42feep-1;
    constexpr double k_ln2_low = 0x1.a39ef35793c76p-33;
    const double k = std::nearbyint(x / std::numbers::ln2);
    const double r = (x - k * k_ln2_high) - k * k_ln2_low;
    double sum = 1.0;
    for (int n = 16; n >= 1; --n)
        sum = 1.0 + sum * r / n;
    return std::ldexp(sum, static_cast<int>(k));
}

} // namespace batchscope
