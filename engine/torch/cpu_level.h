// SPDX-License-Identifier: GPL-3.0-or-later
// Which vector instructions this processor has, of those that the kernels are compiled for.
#pragma once

namespace batchscope::engine::simd {

enum class Level { Baseline, Avx2, Avx512, Avx512Bf16 };

Level level(); // what kernels run with
// For tests: as if the processor had no more. Not while kernels run.
void useAtMost(Level level);
const char* levelName(Level level);

} // namespace batchscope::engine::simd
