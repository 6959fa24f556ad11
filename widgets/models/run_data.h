// SPDX-License-Identifier: GPL-3.0-or-later
// One run as the views see it: what it was, its log and the folds over it. A live run grows through append();
// a stored run is appended whole. No view keeps books of its own (house.md, idea 1).
#pragma once

#include "scheduler/folds/padding_map.h"
#include "scheduler/folds/queue_view.h"
#include "scheduler/folds/throughput.h"
#include "sessions/run_store.h"

#include <QString>
#include <optional>
#include <vector>

namespace batchscope::widgets {

class RunData
{
public:
    RunData(sessions::RunRecord record, std::vector<sessions::StoredRequest> requests);
    static RunData fromStored(const sessions::StoredRun& run);

    void append(const std::vector<Event>& events);
    void appendTokens(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids);
    void finish(const sessions::RunRecord& record) { m_record = record; }

    const sessions::RunRecord& record() const { return m_record; }
    const std::vector<sessions::StoredRequest>& requests() const { return m_requests; }
    const EventLog& log() const { return m_log; }
    const PaddingMap& map() const { return m_map; }
    const QueueView& queue() const { return m_queue; }
    const ThroughputStrip& strip() const { return m_strip; }

    Nanos now() const { return m_log.empty() ? 0 : m_log.back().at_ns; }
    std::int64_t delivered() const { return m_delivered; } // requests whose answer is there
    bool ended() const { return m_status.has_value(); }
    std::optional<RunStatus> status() const { return m_status; }
    QString orderTitle() const; // "Shortest job first", "Bins, then shortest job first"
    QueueView queueBefore(std::int64_t decision) const; // everything that was known right before it, from 1
    std::optional<double> occupancy() const; // the record's once it has ended, the strip's mean while it runs
    const std::optional<RunStarted>& start() const { return m_start; }
    const std::optional<MemorySample>& memory() const { return m_memory; }
    std::optional<BatchFormed> lastBatch() const { return m_last_batch; }

    // Ids of the newest attempt of a request; nullptr where there are none.
    const std::vector<TokenId>* output(RequestIndex request) const;
    // What the log says of one request, from the metrics room. Recomputed when the log has grown.
    const RequestFigures* figures(RequestIndex request) const;
    std::vector<double> completionTimes() const; // JCT of every delivered request, seconds, sorted
    sessions::StoredRun stored() const;          // the same run as the comparison takes it

private:
    void note(const Event& event);
    QueueView emptyQueue() const;
    sessions::RunRecord m_record;
    std::vector<sessions::StoredRequest> m_requests;
    EventLog m_log;
    sessions::AttemptTokens m_tokens;
    PaddingMap m_map;
    QueueView m_queue;
    ThroughputStrip m_strip;
    std::int64_t m_delivered = 0;
    std::optional<RunStatus> m_status;
    std::optional<RunStarted> m_start;
    std::optional<MemorySample> m_memory;
    std::optional<BatchFormed> m_last_batch;
    mutable std::vector<RequestFigures> m_figures;
    mutable std::size_t m_figures_at = 0;
};

QString provenanceText(const Provenance& provenance); // "measured on CPU, bf16"
// Useful, padding and abandoned share of all slot-steps; nullopt before the first.
struct Shares
{
    double useful = 0, padding = 0, abandoned = 0;
    bool operator==(const Shares&) const = default;
};
std::optional<Shares> shares(const PaddingMap& map);

} // namespace batchscope::widgets
