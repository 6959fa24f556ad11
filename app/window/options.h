// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of the window program (design/cli.md).
#pragma once

#include "widgets/look/theme.h"

#include <QSize>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::window {

struct WindowOptions
{
    std::filesystem::path session;     // empty: the last unsaved draft or the first example
    bool run = false;                  // press Run as soon as the session is read
    std::filesystem::path screenshots; // folder; empty: none
    std::vector<std::string> compare;  // runs of the store, the first is the baseline
    std::optional<widgets::Theme> theme;
    bool reset_layout = false;
    std::filesystem::path database; // empty: the default one
    std::optional<QSize> size;
};

// Prints help, version or what is wrong itself; then there is no value but the exit code.
struct ParsedOptions
{
    std::optional<WindowOptions> options;
    int exit_code = 0;
};
ParsedOptions parseOptions(int argc, char** argv);

} // namespace batchscope::window
