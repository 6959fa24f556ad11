// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/assignments.h"

#include "sessions/error.h"

#include <exception>

namespace batchscope::app {

void assignValues(sessions::SessionDocument& document, std::vector<std::string> assignments,
                  const Registry& registry)
{
    while (!assignments.empty()) {
        std::vector<std::string> refused;
        std::exception_ptr first;
        for (const auto& assignment : assignments) {
            try {
                sessions::setValue(document, assignment, registry);
            } catch (const sessions::DocumentError&) {
                refused.push_back(assignment);
                if (!first) first = std::current_exception();
            }
        }
        if (refused.size() == assignments.size()) std::rethrow_exception(first);
        assignments = std::move(refused);
    }
}

} // namespace batchscope::app
