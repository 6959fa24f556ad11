// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C ends a command as cancelled with what it has: SIGINT and SIGTERM become a stop token.
#pragma once

#include <stop_token>
#include <thread>

namespace batchscope::cli {

// While it lives, the first SIGINT or SIGTERM requests a stop; a second one ends the process at once. Made in
// the main thread before any other thread starts (the store's, libtorch's): they inherit its signal mask.
class StopSignal
{
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;
    std::stop_token token() const { return m_source.get_token(); }

private:
    std::stop_source m_source;
    std::jthread m_watcher;
};

} // namespace batchscope::cli
