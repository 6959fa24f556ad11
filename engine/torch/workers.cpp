// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/workers.h"

#include <algorithm>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace batchscope::engine {
namespace {

constexpr int k_looks = 2000; // before sleeping: about 50 microseconds

void rest()
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

// Returns when `value` differs from `old`.
template <typename T>
void awaitChange(const std::atomic<T>& value, T old)
{
    for (int look = 0; look < k_looks; ++look) {
        if (value.load(std::memory_order_acquire) != old) return;
        rest();
    }
    value.wait(old);
}

} // namespace

Workers::Workers(int threads)
{
    for (int i = 1; i < threads; ++i)
        m_threads.emplace_back([this](const std::stop_token& stop) { serve(stop); });
}

Workers::~Workers()
{
    for (std::jthread& thread : m_threads)
        thread.request_stop();
    m_jobs.fetch_add(1);
    m_jobs.notify_all();
}

void Workers::takeParts()
{
    for (;;) {
        const std::int64_t first = m_next.fetch_add(m_part, std::memory_order_relaxed);
        if (first >= m_count) return;
        m_call(m_work, first, std::min(first + m_part, m_count));
    }
}

void Workers::serve(const std::stop_token& stop)
{
    std::uint32_t seen = 0;
    while (!stop.stop_requested()) {
        awaitChange(m_jobs, seen);
        seen = m_jobs.load();
        m_inside.fetch_add(1);
        if (m_open.load()) takeParts();
        if (m_inside.fetch_sub(1) == 1) m_inside.notify_all();
    }
}

void Workers::run(std::int64_t count, std::int64_t grain, const void* work, Call call)
{
    // Nobody is inside: the job before was closed and left.
    const std::int64_t parts = std::min<std::int64_t>((count + grain - 1) / grain, 4 * threads());
    m_work = work;
    m_call = call;
    m_count = count;
    m_part = (count + parts - 1) / parts;
    m_next.store(0);
    m_open.store(true);
    m_jobs.fetch_add(1);
    m_jobs.notify_all();
    takeParts();
    m_open.store(false); // who comes now takes nothing
    for (std::uint32_t inside = m_inside.load(); inside != 0; inside = m_inside.load())
        awaitChange(m_inside, inside);
}

} // namespace batchscope::engine
