// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <boost/math/distributions/students_t.hpp>
