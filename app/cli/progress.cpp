// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include "app/cli/message.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace batchscope::cli {
namespace {

constexpr std::chrono::milliseconds k_bar_every{100};
constexpr std::chrono::milliseconds k_line_every{5000};
constexpr std::chrono::milliseconds k_silent_for{400};

std::size_t terminalColumns()
{
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

std::string bar(double share)
{
    constexpr int k_cells = 24;
    const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * k_cells);
    return fmt::format("[{:=<{}}{: <{}}]", "", full, full < k_cells ? ">" : "", k_cells - full);
}

} // namespace

std::string clockText(double seconds)
{
    const auto whole = static_cast<std::int64_t>(std::ceil(std::max(0.0, seconds)));
    if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

Progress::Progress() : m_terminal(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress()
{
    end();
}

void Progress::begin(const std::string& what, std::int64_t all, const std::string& unit)
{
    end();
    m_what = what;
    m_unit = unit;
    m_note.clear();
    m_all = all;
    m_done = 0;
    m_begin = Time::now();
    // Backdated so that the first report comes when the silence is over, not one whole interval later.
    m_last = m_begin + k_silent_for - (m_terminal ? k_bar_every : k_line_every);
}

void Progress::update(std::int64_t done, const std::string& note)
{
    m_done = done;
    m_note = note;
    if (Time::now() - m_last >= (m_terminal ? k_bar_every : k_line_every)) draw();
}

std::string Progress::text(double elapsed_s) const
{
    const double rate = elapsed_s > 0 ? static_cast<double>(m_done) / elapsed_s : 0.0;
    const bool counts = m_unit != "%"; // a share has no rate
    std::string text = m_all > 0 && counts ? fmt::format("{} of {} {}", m_done, m_all, m_unit)
                       : m_unit.empty()    ? std::string{}
                                           : fmt::format("{} {}", m_done, m_unit);
    if (m_done > 0 && counts) text += fmt::format(", {:.{}f}/s", rate, rate < 10 ? 2 : 0);
    if (m_done > 0 && m_all > m_done)
        text += fmt::format(", {} left", clockText(static_cast<double>(m_all - m_done) / rate));
    if (!m_note.empty()) text += (text.empty() ? "" : ", ") + m_note;
    return text;
}

void Progress::draw()
{
    m_last = Time::now();
    const double elapsed_s = std::chrono::duration<double>(m_last - m_begin).count();
    if (!m_terminal) {
        tell(fmt::format("{}: {}\n", m_what, text(elapsed_s)));
        return;
    }
    std::string line = m_what + " ";
    if (m_all > 0) line += bar(static_cast<double>(m_done) / static_cast<double>(m_all)) + " ";
    line += text(elapsed_s);
    std::size_t bytes = terminalColumns() - 1;
    if (line.size() > bytes) {
        while (bytes > 0 && (static_cast<unsigned char>(line[bytes]) & 0xc0) == 0x80)
            --bytes; // whole characters
        line.resize(bytes);
    }
    tell("\r\x1b[K" + line);
    m_drawn = true;
}

void Progress::say(const std::string& line)
{
    tell((m_drawn ? "\r\x1b[K" : "") + line + "\n");
    m_drawn = false;
}

void Progress::end()
{
    if (m_drawn) tell("\r\x1b[K");
    m_drawn = false;
}

} // namespace batchscope::cli
