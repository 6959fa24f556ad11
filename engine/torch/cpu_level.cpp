// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/cpu_level.h"

#include <algorithm>
#include <atomic>

namespace batchscope::engine::simd {
namespace {

Level detect()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (avx512 && __builtin_cpu_supports("avx512bf16")) return Level::Avx512Bf16;
    if (avx512) return Level::Avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Level::Avx2;
#endif
    return Level::Baseline;
}

std::atomic<Level>& chosen()
{
    static std::atomic<Level> level{detect()};
    return level;
}

} // namespace

Level level()
{
    return chosen().load(std::memory_order_relaxed);
}

void useAtMost(Level level)
{
    chosen().store(std::min(level, detect()));
}

const char* levelName(Level level)
{
    switch (level) {
    case Level::Avx512Bf16:
        return "AVX-512 with bf16";
    case Level::Avx512:
        return "AVX-512";
    case Level::Avx2:
        return "AVX2";
    case Level::Baseline:
        break;
    }
    return "baseline";
}

} // namespace batchscope::engine::simd
