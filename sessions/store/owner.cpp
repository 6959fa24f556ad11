// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/store/owner.h"

#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace batchscope::sessions {

namespace {

std::string contentOf(const std::string& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string bootId()
{
    std::string id = contentOf("/proc/sys/kernel/random/boot_id");
    while (!id.empty() && id.back() == '\n')
        id.pop_back();
    return id;
}

// Clock ticks from boot to the start of the process (proc(5), stat, field 22) and its state; "" where there
// is none.
std::string startOf(long pid)
{
    const std::string stat = contentOf(fmt::format("/proc/{}/stat", pid));
    const auto name_end = stat.rfind(')'); // the command's name may hold blanks and brackets
    if (name_end == std::string::npos) return {};
    std::istringstream fields(stat.substr(name_end + 1));
    std::string field;
    fields >> field;                             // field 3: the state
    if (field == "Z" || field == "X") return {}; // it has ended; only its parent has not looked yet
    for (int number = 4; number <= 22; ++number)
        fields >> field;
    return fields ? field : std::string();
}

} // namespace

std::string ownProcess()
{
    const long pid = ::getpid();
    return fmt::format("{} {} {}", pid, startOf(pid), bootId());
}

bool isProcessAlive(const std::string& process)
{
    long pid = 0;
    const auto end = std::from_chars(process.data(), process.data() + process.size(), pid).ptr;
    if (pid <= 0) return false;
    const std::string rest(end, process.data() + process.size());
    const std::string start = startOf(pid);
    return !start.empty() && rest == fmt::format(" {} {}", start, bootId());
}

} // namespace batchscope::sessions
