// SPDX-License-Identifier: GPL-3.0-or-later
// Which vector instructions this processor has, of those that the kernels are compiled for.
#pragma once

namespace batchscope::engine::simd {

enum class Level { Baseline, Avx2, Avx512, Avx512Bf16 };

Level level(); // found once
const char* levelName(Level level);

} // namespace batchscope::engine::simd
