// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/set_values.h"

#include "sessions/error.h"

#include <exception>

namespace batchscope::sessions {

void setValues(SessionDocument& document, std::vector<std::string> assignments, const Registry& registry)
{
    while (!assignments.empty()) {
        std::vector<std::string> refused;
        std::exception_ptr first;
        for (const auto& assignment : assignments) {
            try {
                setValue(document, assignment, registry);
            } catch (const DocumentError&) {
                refused.push_back(assignment);
                if (!first) first = std::current_exception();
            }
        }
        if (refused.size() == assignments.size()) std::rethrow_exception(first);
        assignments = std::move(refused);
    }
}

} // namespace batchscope::sessions
