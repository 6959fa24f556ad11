// SPDX-License-Identifier: GPL-3.0-or-later
// What is made of a run's log when it ends: its final record and the tables of requests, batches, metrics and
// the pyramid. Called within a transaction.
#pragma once

#include "scheduler/event_log.h"
#include "sessions/run_store.h"

#include <SQLiteCpp/Database.h>

namespace batchscope::sessions {

void closeRun(SQLite::Database& database, RunRecord record, const EventLog& log);

// The log as it lies in the database.
EventLog readLog(SQLite::Database& database, RunId run);

} // namespace batchscope::sessions
