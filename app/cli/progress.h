// SPDX-License-Identifier: GPL-3.0-or-later
// Progress on standard error: a bar with rate and remaining time on a terminal, one plain line every few
// seconds otherwise. What takes less than a moment says nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace batchscope::cli {

class Progress
{
public:
    Progress();
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // A new thing to be done; rate and remaining time count from here. `all` = 0: no end is known.
    void begin(const std::string& what, std::int64_t all, const std::string& unit);
    void update(std::int64_t done, const std::string& note = {});
    // Prints a whole line of its own, above the bar.
    void say(const std::string& line);
    void end(); // takes the bar away

private:
    using Time = std::chrono::steady_clock;
    std::string text(double elapsed_s) const;
    void draw();
    bool m_terminal = false;
    bool m_drawn = false;
    std::string m_what, m_unit, m_note;
    std::int64_t m_all = 0, m_done = 0;
    Time::time_point m_begin, m_last;
};

// "0:32", "1:02:03".
std::string clockText(double seconds);

} // namespace batchscope::cli
