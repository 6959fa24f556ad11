// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stop_signal.h"

#include "app/cli/exit_code.h"
#include "app/cli/message.h"

#include <csignal>
#include <ctime>
#include <unistd.h>

namespace batchscope::cli {
namespace {

sigset_t stopSignals()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

void watch(const std::stop_token& ended, std::stop_source& source)
{
    const sigset_t set = stopSignals();
    const timespec slice{0, 100'000'000};
    while (!ended.stop_requested()) {
        if (sigtimedwait(&set, nullptr, &slice) < 0) continue;
        if (source.stop_requested()) _exit(Cancelled);
        tell("\nStopping after this step; what is done is kept. Once more ends at once.\n");
        source.request_stop();
    }
}

} // namespace

StopSignal::StopSignal()
{
    const sigset_t set = stopSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // From here on a reader that has gone (Ctrl-C ends `| tee log` with us) or a file that may not grow is an
    // error where it is written, not the end of the run.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    m_watcher = std::jthread([this](const std::stop_token& ended) { watch(ended, m_source); });
}

StopSignal::~StopSignal()
{
    m_watcher = {}; // stops and joins
    const sigset_t set = stopSignals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace batchscope::cli
