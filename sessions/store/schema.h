// SPDX-License-Identifier: GPL-3.0-or-later
// The store's layout and its history. A new layout = one more step at the end of the list in schema.cpp.
#pragma once

#include <SQLiteCpp/Database.h>
#include <filesystem>

namespace batchscope::sessions {

inline constexpr int k_store_version = 3;
inline constexpr int k_application_id = 0x42745363; // "BtSc"

// Throws StoreError where the file exists and is no SQLite database: says what it seems to be. Touches
// nothing.
void refuseForeignFile(const std::filesystem::path& file);

// What the file says it is: its layout's version; 0 for a database without tables. Throws StoreError naming
// both versions where it is newer than ours, and where it belongs to another program. Writes nothing.
int storeVersion(SQLite::Database& database, const std::filesystem::path& file);

// Brings the file to k_store_version, each step in a transaction of its own, after a copy of an older file
// was written to <file>.bak-v<version>.
void migrate(SQLite::Database& database, const std::filesystem::path& file);

} // namespace batchscope::sessions
