// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/presets.h"

#include "app/experiment/experiment.h"

#include <filesystem>
#include <system_error>

namespace batchscope::window {

QStringList presetNames()
{
    QStringList names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(app::resourceDir() / "presets", error))
        if (entry.path().extension() == ".json")
            names << QString::fromStdString(entry.path().stem().string());
    names.sort();
    return names;
}

} // namespace batchscope::window
