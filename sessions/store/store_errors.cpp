// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/store/store_errors.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <system_error>

namespace batchscope::sessions {

namespace {

std::string remedyFor(const std::filesystem::path& file, int code)
{
    std::error_code unknown;
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "the database is locked by another program; close what holds it and try again, or choose "
               "another file "
               "with --db";
    case SQLITE_FULL: {
        const auto space = std::filesystem::space(file.parent_path(), unknown);
        return fmt::format(
            "the disk is full (file {} bytes, {} bytes free); make room, or choose another file with "
            "--db",
            std::filesystem::file_size(file, unknown), unknown ? 0 : space.available);
    }
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return "the file or its folder cannot be written; change its rights, or choose another file with "
               "--db";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return "the file is damaged or no Batchscope store; it was left as it is: move it away, or choose "
               "another file "
               "with --db (\"sqlite3 FILE .recover\" saves what can still be read)";
    case SQLITE_IOERR:
        return "the disk reported an error; copy the file elsewhere and choose it with --db";
    default:
        return "choose another file with --db if this happens again";
    }
}

} // namespace

std::string explainFailure(const std::filesystem::path& file, const std::string& doing,
                           const SQLite::Exception& error)
{
    return fmt::format("{}: {}: {}; {}", file.string(), doing, error.what(),
                       remedyFor(file, error.getErrorCode() & 0xFF));
}

} // namespace batchscope::sessions
