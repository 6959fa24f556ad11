// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run_data.h"

#include "scheduler/registry.h"

#include <QCoreApplication>
#include <algorithm>
#include <limits>

namespace batchscope::widgets {
namespace {

const Registry& parts()
{
    static const Registry registry = Registry::withBuiltinParts();
    return registry;
}

} // namespace

RunData::RunData(sessions::RunRecord record, std::vector<sessions::StoredRequest> requests)
    : m_record(std::move(record)), m_requests(std::move(requests)), m_queue(emptyQueue())
{}

QueueView RunData::emptyQueue() const
{
    std::vector<QueueRules::Asker> askers;
    for (const sessions::StoredRequest& request : m_requests)
        askers.push_back({request.priority, request.client});
    return QueueView(queueRulesOf(m_record.strategy, parts(), [askers](RequestIndex request) {
        return request < askers.size() ? askers[request] : QueueRules::Asker{};
    }));
}

QueueView RunData::queueBefore(std::int64_t decision) const
{
    const auto isDecision = [](const Event& event) {
        return std::holds_alternative<Picked>(event.body) || std::holds_alternative<Preempted>(event.body);
    };
    std::size_t known = 0;
    for (std::int64_t seen = 0; known < m_log.size(); ++known)
        if (isDecision(m_log[known]) && ++seen == decision) break;
    QueueView queue = emptyQueue();
    queue.append({m_log.data(), known});
    return queue;
}

QString RunData::orderTitle() const
{
    const PartDescriptor* ordering = parts().find(PartKind::Ordering, m_record.strategy.ordering.type);
    const QString title =
        QString::fromStdString(ordering ? ordering->title : m_record.strategy.ordering.type);
    if (m_record.strategy.batching.type != "grouped") return title;
    return QCoreApplication::translate("RunData", "Bins, then %1")
        .arg(title.left(1).toLower() + title.mid(1));
}

RunData RunData::fromStored(const sessions::StoredRun& run)
{
    RunData data(run.record, run.requests);
    data.append(run.log);
    data.m_tokens = run.tokens;
    // A run whose process died has no last event: its record says how it ended.
    if (!data.m_status) data.m_status = run.record.status.value_or(RunStatus::Interrupted);
    return data;
}

void RunData::append(const std::vector<Event>& events)
{
    if (events.empty()) return;
    m_log.insert(m_log.end(), events.begin(), events.end());
    m_map.append(events);
    m_queue.append(events);
    m_strip.append(events);
    for (const Event& event : events)
        note(event);
}

void RunData::note(const Event& event)
{
    if (const auto* started = std::get_if<RunStarted>(&event.body)) m_start = *started;
    if (const auto* sample = std::get_if<MemorySample>(&event.body)) m_memory = *sample;
    if (const auto* formed = std::get_if<BatchFormed>(&event.body)) m_last_batch = *formed;
    if (const auto* ended = std::get_if<RunEnded>(&event.body)) m_status = ended->status;
    if (const auto* row = std::get_if<RowEnded>(&event.body);
        row && row->cause != RowEnd::Limit && row->cause != RowEnd::Cancelled)
        ++m_delivered;
}

void RunData::appendTokens(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids)
{
    auto& all = m_tokens[{request, attempt}];
    all.insert(all.end(), ids.begin(), ids.end());
}

std::optional<double> RunData::occupancy() const
{
    if (m_record.metrics) return m_record.metrics->mean_occupancy;
    const auto& buckets = m_strip.buckets();
    if (buckets.empty()) return std::nullopt;
    double sum = 0;
    for (const ThroughputBucket& bucket : buckets)
        sum += bucket.occupancy;
    return sum / static_cast<double>(buckets.size());
}

const std::vector<TokenId>* RunData::output(RequestIndex request) const
{
    auto it = m_tokens.upper_bound({request, std::numeric_limits<std::uint16_t>::max()});
    if (it == m_tokens.begin()) return nullptr;
    --it;
    return it->first.first == request ? &it->second : nullptr;
}

const RequestFigures* RunData::figures(RequestIndex request) const
{
    if (m_figures_at != m_log.size()) {
        m_figures = requestFigures(m_log);
        m_figures_at = m_log.size();
    }
    const auto it = std::find_if(m_figures.begin(), m_figures.end(),
                                 [request](const RequestFigures& f) { return f.request == request; });
    return it == m_figures.end() ? nullptr : &*it;
}

std::vector<double> RunData::completionTimes() const
{
    std::vector<double> times;
    for (const RequestFigures& f : requestFigures(m_log))
        if (f.completed_ns) times.push_back(toSeconds(*f.completed_ns - f.arrival_ns));
    std::sort(times.begin(), times.end());
    return times;
}

sessions::StoredRun RunData::stored() const
{
    return {m_record, m_log, m_tokens, m_requests};
}

QString provenanceText(const Provenance& provenance)
{
    return QString::fromStdString(provenance.sentence());
}

std::optional<Shares> shares(const PaddingMap& map)
{
    const auto all = static_cast<double>(map.occupied());
    if (all <= 0) return std::nullopt;
    return Shares{static_cast<double>(map.total(StepKind::Useful)) / all,
                  static_cast<double>(map.total(StepKind::Padding)) / all,
                  static_cast<double>(map.total(StepKind::Abandoned)) / all};
}

} // namespace batchscope::widgets
