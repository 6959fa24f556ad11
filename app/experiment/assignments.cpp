// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/assignments.h"

#include "sessions/set_values.h"

namespace batchscope::app {

void assignValues(sessions::SessionDocument& document, std::vector<std::string> assignments,
                  const Registry& registry)
{
    sessions::setValues(document, std::move(assignments), registry);
}

} // namespace batchscope::app
