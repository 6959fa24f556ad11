// SPDX-License-Identifier: GPL-3.0-or-later
// A logarithm and an exponential whose bits are the same on every machine: libraries differ in the last place (some
// use fused products).
#pragma once

namespace batchscope {

// Natural logarithm of x > 0 by additions, products and quotients alone; within 4e-16 of the exact value,
// relatively (absolutely, near 1).
double portableLog(double x);

// e^x for |x| <= 700, within 4e-16 of the exact value, relatively.
double portableExp(double x);

} // namespace batchscope
