// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/store/run_closing.h"

#include "scheduler/folds/padding_map.h"
#include "scheduler/folds/throughput.h"
#include "sessions/event_codec.h"
#include "sessions/event_json.h"
#include "sessions/record_json.h"

#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace batchscope::sessions {

namespace {

template <class T>
void bindOptional(SQLite::Statement& statement, int index, const std::optional<T>& value)
{
    if (value)
        statement.bind(index, *value);
    else
        statement.bind(index);
}

void writeRequests(SQLite::Database& database, RunId run, const EventLog& log)
{
    SQLite::Statement update(
        database,
        "UPDATE requests SET prompt_tokens = ?, output_tokens = ?, arrival_ns = ?, dispatched_ns = ?, "
        "scheduled_ns = ?, "
        "first_token_ns = ?, last_token_ns = ?, completed_ns = ?, row_end = ?, predicted_tokens = ?, "
        "attempts = ?, "
        "delivered_steps = ?, abandoned_steps = ?, abandoned_tokens = ? WHERE run = ? AND request = ?");
    for (const auto& figures : requestFigures(log)) {
        update.reset();
        update.clearBindings();
        update.bind(1, figures.prompt_tokens);
        if (figures.completed_ns) update.bind(2, figures.output_tokens);
        update.bind(3, figures.arrival_ns);
        update.bind(4, figures.dispatched_ns);
        bindOptional(update, 5, figures.scheduled_ns);
        bindOptional(update, 6, figures.first_token_ns);
        bindOptional(update, 7, figures.last_token_ns);
        bindOptional(update, 8, figures.completed_ns);
        if (figures.end) update.bind(9, rowEndName(*figures.end));
        bindOptional(update, 10, figures.predicted_tokens);
        update.bind(11, static_cast<int>(figures.attempts));
        update.bind(12, figures.delivered_steps);
        update.bind(13, figures.abandoned_steps);
        update.bind(14, figures.abandoned_tokens);
        update.bind(15, run);
        update.bind(16, figures.request);
        update.exec();
    }
}

void writeBatches(SQLite::Database& database, RunId run, const EventLog& log)
{
    PaddingMap map;
    map.append(log);
    SQLite::Statement insert(database,
                             "INSERT OR REPLACE INTO batches (run, batch, kind, group_number, bin, rows, "
                             "padded_prompt_tokens, first_step, steps, start_ns, end_ns) "
                             "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const auto& batch : map.batches()) {
        insert.reset();
        insert.clearBindings();
        insert.bind(1, run);
        insert.bind(2, batch.batch);
        insert.bind(3, batchKindName(batch.kind));
        bindOptional(insert, 4, batch.group);
        bindOptional(insert, 5, batch.bin);
        insert.bind(6, batch.rows);
        insert.bind(7, batch.padded_prompt_tokens);
        insert.bind(8, batch.first_step);
        insert.bind(9, batch.steps);
        insert.bind(10, batch.start_ns);
        insert.bind(11, batch.end_ns);
        insert.exec();
    }
}

void writeMetrics(SQLite::Database& database, RunId run, const RunMetrics& metrics)
{
    SQLite::Statement insert(database, "INSERT OR REPLACE INTO metrics (run, name, value) VALUES (?, ?, ?)");
    for (const auto& definition : metricDefinitions()) {
        const auto value = definition.value(metrics);
        insert.reset();
        insert.clearBindings();
        insert.bind(1, run);
        insert.bind(2, definition.name);
        if (value && std::isfinite(*value)) insert.bind(3, *value);
        insert.exec();
    }
}

PyramidLevel coarser(const PyramidLevel& fine)
{
    PyramidLevel level;
    level.width_ns = fine.width_ns * 2;
    for (std::size_t i = 0; i < fine.sum.size(); i += 2) {
        const std::size_t last = std::min(i + 1, fine.sum.size() - 1);
        level.minimum.push_back(std::min(fine.minimum[i], fine.minimum[last]));
        level.maximum.push_back(std::max(fine.maximum[i], fine.maximum[last]));
        level.sum.push_back(last > i ? fine.sum[i] + fine.sum[last] : fine.sum[i]);
    }
    return level;
}

// Finest buckets: about one for 64 events, so that the pyramid stays small beside the log.
std::size_t finestBuckets(const EventLog& log)
{
    return std::clamp<std::size_t>(std::bit_ceil(log.size() / 64), 64, 65536);
}

void writePyramid(SQLite::Database& database, RunId run, const EventLog& log)
{
    if (log.empty() || log.back().at_ns <= 0) return;
    const std::size_t buckets = finestBuckets(log);
    ThroughputStrip strip(log.back().at_ns / static_cast<Nanos>(buckets) + 1, buckets);
    strip.append(log);
    constexpr std::pair<const char*, double ThroughputBucket::*> k_series[] = {
        {"useful", &ThroughputBucket::useful},
        {"padding", &ThroughputBucket::padding},
        {"abandoned", &ThroughputBucket::abandoned},
        {"other", &ThroughputBucket::other},
        {"queue", &ThroughputBucket::queue},
        {"occupancy", &ThroughputBucket::occupancy},
        {"kv_used_bytes", &ThroughputBucket::kv_used_bytes}};
    SQLite::Statement insert(
        database,
        "INSERT OR REPLACE INTO pyramid (run, series, level, width_ns, data) VALUES (?, ?, ?, ?, ?)");
    for (const auto& [name, member] : k_series) {
        PyramidLevel level;
        level.width_ns = strip.bucketNs();
        for (const auto& bucket : strip.buckets())
            level.sum.push_back(bucket.*member);
        level.minimum = level.maximum = level.sum;
        for (int number = 0; !level.sum.empty(); ++number) {
            std::vector<double> values = level.minimum;
            values.insert(values.end(), level.maximum.begin(), level.maximum.end());
            values.insert(values.end(), level.sum.begin(), level.sum.end());
            const std::string blob = encodeReals(values);
            insert.reset();
            insert.bind(1, run);
            insert.bind(2, name);
            insert.bind(3, number);
            insert.bind(4, level.width_ns);
            insert.bindNoCopy(5, blob.data(), static_cast<int>(blob.size()));
            insert.exec();
            if (level.sum.size() == 1) break;
            level = coarser(level);
        }
    }
}

} // namespace

void closeRun(SQLite::Database& database, RunRecord record, const EventLog& log)
{
    if (!record.metrics && !log.empty()) record.metrics = computeMetrics(log, record.strategy.slo);
    // The name's column is left alone: the run may have been renamed meanwhile.
    SQLite::Statement update(database, "UPDATE runs SET status = ?, record = ? WHERE id = ?");
    update.bind(1, runStatusName(record.status.value_or(RunStatus::Interrupted)));
    update.bind(2, recordToJson(record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    update.bind(3, record.id);
    update.exec();
    writeRequests(database, record.id, log);
    writeBatches(database, record.id, log);
    if (record.metrics) writeMetrics(database, record.id, *record.metrics);
    writePyramid(database, record.id, log);
}

EventLog readLog(SQLite::Database& database, RunId run)
{
    EventLog log;
    SQLite::Statement chunks(database, "SELECT number, data FROM event_chunks WHERE run = ? ORDER BY number");
    chunks.bind(1, run);
    while (chunks.executeStep()) {
        const auto data = chunks.getColumn(1);
        decodeEvents({static_cast<const char*>(data.getBlob()), static_cast<std::size_t>(data.getBytes())},
                     fmt::format("run {}, event chunk {}", run, chunks.getColumn(0).getInt64()), log);
    }
    return log;
}

} // namespace batchscope::sessions
