// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that stay alive between the parts of a pass. They look for work for some microseconds and then
// sleep, so that they are at hand within a pass and take no core from others that need one; parts are handed
// out as threads come for them, so that a thread the system has put aside delays nobody.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <vector>

namespace batchscope::engine {

class Workers
{
public:
    explicit Workers(int threads); // the caller is one of them
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    int threads() const { return static_cast<int>(m_threads.size()) + 1; }

    // Calls work(first, last) for parts of [0, count) of at least `grain` each, and returns when all are
    // done. work must not throw. One caller at a time.
    template <typename Work>
    void share(std::int64_t count, std::int64_t grain, const Work& work)
    {
        if (count <= 0) return;
        if (m_threads.empty() || count <= grain) return work(std::int64_t{0}, count);
        run(count, grain, &work, [](const void* self, std::int64_t first, std::int64_t last) {
            (*static_cast<const Work*>(self))(first, last);
        });
    }

private:
    using Call = void (*)(const void* work, std::int64_t first, std::int64_t last);

    void run(std::int64_t count, std::int64_t grain, const void* work, Call call);
    void takeParts();
    void serve(const std::stop_token& stop);

    const void* m_work = nullptr; // these five are written while nobody is inside
    Call m_call = nullptr;
    std::int64_t m_count = 0;
    std::int64_t m_part = 1;
    std::atomic<std::int64_t> m_next{0};

    std::atomic<std::uint32_t> m_jobs{0};   // counts jobs: what sleeping workers wait on
    std::atomic<bool> m_open{false};        // whether parts of the job may be taken
    std::atomic<std::uint32_t> m_inside{0}; // workers that may be reading the job
    std::vector<std::jthread> m_threads;    // last: they use all of the above
};

} // namespace batchscope::engine
