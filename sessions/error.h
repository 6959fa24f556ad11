// SPDX-License-Identifier: GPL-3.0-or-later
// The exceptions that leave the sessions room.
#pragma once

#include <stdexcept>

namespace batchscope::sessions {

// A session, request or result file that cannot be read: names file, JSON path, value found and expected.
class DocumentError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// The run store: locked, unwritable, newer schema, damaged: names the file and the remedy.
class StoreError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

} // namespace batchscope::sessions
