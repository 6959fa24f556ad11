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

} // namespace batchscope
