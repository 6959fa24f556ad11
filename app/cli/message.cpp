// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/message.h"

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace batchscope::cli {

void tell(const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

void holdStandardDescriptors()
{
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(number, F_GETFD) < 0)
            ::open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY); // the lowest free one: this
}

} // namespace batchscope::cli
