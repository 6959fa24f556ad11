// SPDX-License-Identifier: GPL-3.0-or-later
// What an EngineError said, for tests of messages.
#pragma once

#include "engine/error.h"

#include <QByteArray>
#include <QTest>
#include <functional>
#include <optional>
#include <string>

namespace batchscope::tests {

struct ThrownError
{
    engine::ErrorKind kind = engine::ErrorKind::Model;
    std::string message;
};

// nullopt where nothing is thrown; any other exception leaves.
inline std::optional<ThrownError> engineErrorOf(const std::function<void()>& act)
{
    try {
        act();
    } catch (const engine::EngineError& error) {
        return ThrownError{error.kind(), error.what()};
    }
    return std::nullopt;
}

// Whether `act` refuses an invalid file with a message that holds every fragment; tells what it said
// otherwise.
inline bool refusesFile(const std::function<void()>& act, const std::vector<std::string>& fragments)
{
    const auto error = engineErrorOf(act);
    if (!error) {
        qWarning("nothing was refused");
        return false;
    }
    bool right = error->kind == engine::ErrorKind::InvalidFile;
    for (const std::string& fragment : fragments) {
        if (error->message.find(fragment) != std::string::npos) continue;
        qWarning("'%s' is not in: %s", fragment.c_str(), error->message.c_str());
        right = false;
    }
    return right;
}

} // namespace batchscope::tests
