// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a window can be opened at all, asked before Qt is: without a display Qt would abort.
#pragma once

#include <QApplication>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace batchscope::window {

// What to tell a person where neither a display nor a platform is named; empty: Qt may try. `arguments`:
// those of the program; `variable`: value of an environment variable, empty where it is not set.
std::string displayFault(const std::vector<std::string>& arguments,
                         const std::function<std::string(const char*)>& variable);

// The application, or the program's end with exit code 1 and a message where the display that is named cannot
// be opened. `argc` and `argv` must outlive it.
std::unique_ptr<QApplication> openDisplay(int& argc, char** argv);

} // namespace batchscope::window
