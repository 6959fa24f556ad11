// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/presets.h"

#include "app/experiment/experiment.h"
#include "engine/simulated/cost_model.h"

namespace batchscope::window {

QStringList presetNames()
{
    QStringList names;
    try {
        for (const std::string& name : engine::costModelPresets(app::resourceDir() / "presets"))
            names << QString::fromStdString(name);
    } catch (const std::exception&) { // no presets: a session may still name a file of its own
        names.clear();
    }
    return names;
}

} // namespace batchscope::window
