// SPDX-License-Identifier: GPL-3.0-or-later
// The exceptions that leave the engine room. A message names the thing, the value found, the value expected, and
// what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace batchscope::engine {

// What the program answers with: an invalid file (exit code 3) or a model or device problem (exit code 4), cli.md.
enum class ErrorKind { InvalidFile, Model, Cancelled };

class EngineError : public std::runtime_error
{
public:
    EngineError(ErrorKind kind, const std::string& message) : std::runtime_error(message), m_kind(kind) {}
    ErrorKind kind() const { return m_kind; }

private:
    ErrorKind m_kind;
};

} // namespace batchscope::engine
