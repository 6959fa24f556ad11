// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/folds/queue_view.h"

#include "scheduler/error.h"
#include "scheduler/registry.h"

#include <algorithm>
#include <tuple>

namespace batchscope {
namespace {

template <typename Body>
const Body* as(const Event& event)
{
    return std::get_if<Body>(&event.body);
}

} // namespace

QueueRules queueRulesOf(const Strategy& strategy, const Registry& registry,
                        std::function<QueueRules::Asker(RequestIndex)> asker)
{
    QueueRules rules;
    rules.cap = strategy.limits.max_new_tokens;
    rules.asker = std::move(asker);
    rules.demotes = strategy.correction.type == "demote";
    try {
        rules.ordering = registry.makeOrdering(strategy.ordering);
        const PartDescriptor& batching = registry.require(PartKind::Batching, strategy.batching.type);
        if (strategy.batching.type == "grouped")
            rules.bin_width = static_cast<int>(integerParam(strategy.batching, batching, "bin_width"));
    } catch (const SchedulerError&) {
        // A run that another version kept may have parts that are unknown here: it is shown by arrival.
    }
    return rules;
}

QueueView::QueueView(QueueRules rules) : m_rules(std::move(rules))
{
    if (m_rules.ordering) m_order = m_rules.ordering->makeOrder();
}

void QueueView::append(std::span<const Event> events)
{
    for (const Event& event : events) {
        m_now_ns = std::max(m_now_ns, event.at_ns);
        if (const auto* arrived = as<Arrived>(event))
            arrive(*arrived);
        else if (const auto* predicted = as<Predicted>(event))
            predict(*predicted);
        else if (const auto* promoted = as<Promoted>(event))
            promote(*promoted);
        else if (const auto* preempted = as<Preempted>(event))
            preempt(*preempted);
        else if (const auto* picked = as<Picked>(event))
            pick(*picked);
        else if (const auto* formed = as<BatchFormed>(event))
            form(*formed);
        else if (const auto* resumed = as<Resumed>(event))
            m_residents.resume(*resumed);
        else if (const auto* steps = as<Steps>(event))
            follow(*steps);
        else if (const auto* row = as<RowEnded>(event))
            end(*row);
        else if (const auto* batch = as<BatchEnded>(event))
            m_residents.endBatch(batch->batch);
        else if (const auto* abandoned = as<AttemptAbandoned>(event)) {
            Entry& collected = entry(abandoned->request);
            collected.request.recompute = true;
            wait(collected);
        }
    }
}

QueueView::Entry& QueueView::entry(RequestIndex request)
{
    if (request >= m_entries.size()) m_entries.resize(request + std::size_t{1});
    m_entries[request].request.request = request;
    return m_entries[request];
}

void QueueView::arrive(const Arrived& arrived)
{
    Entry& fresh = entry(arrived.request);
    fresh.request.arrival_ns = arrived.arrival_ns;
    fresh.request.prompt_tokens = arrived.prompt_tokens;
    if (m_rules.asker) fresh.asker = m_rules.asker(arrived.request);
    wait(fresh);
}

void QueueView::predict(const Predicted& predicted)
{
    Entry& judged = entry(predicted.request);
    judged.predicted = true;
    judged.request.predicted_tokens = predicted.tokens;
    judged.score = predicted.score;
}

void QueueView::promote(const Promoted& promoted)
{
    entry(promoted.request).request.aged = true;
}

void QueueView::preempt(const Preempted& preempted)
{
    m_residents.preempt(preempted);
    Entry& lost = entry(preempted.request);
    lost.request.preempted = true;
    lost.keeps_kv = preempted.keeps_kv;
    lost.ran_ns += m_now_ns - lost.joined_ns;
    Decision decision;
    decision.preempted = preempted;
    decision.picked.batch = preempted.batch;
    decision.picked.key = preempted.key;
    addDecision(std::move(decision), preempted.request);
    wait(lost);
}

void QueueView::pick(const Picked& picked)
{
    Decision decision;
    decision.picked = picked;
    if (picked.first_passed)
        decision.first_passed_predicted = entry(*picked.first_passed).request.predicted_tokens;
    addDecision(std::move(decision), picked.request);
    leave(entry(picked.request));
}

void QueueView::addDecision(Decision decision, RequestIndex request)
{
    const Entry& about = entry(request);
    decision.number = static_cast<std::int64_t>(m_decisions.size()) + 1;
    decision.at_ns = m_now_ns;
    decision.picked.request = request;
    decision.predicted = about.request.predicted_tokens;
    decision.generated = about.request.preempted ? about.request.generated : 0;
    decision.keeps_kv = about.keeps_kv;
    m_decisions.push_back(std::move(decision));
}

void QueueView::form(const BatchFormed& formed)
{
    m_residents.form(formed);
    for (; m_undated < m_decisions.size(); ++m_undated) {
        Decision& decision = m_decisions[m_undated];
        if (decision.picked.batch != formed.batch || decision.preempted) continue;
        decision.bin = formed.bin;
        const auto row = std::find_if(formed.rows.begin(), formed.rows.end(), [&](const RowStart& start) {
            return start.request == decision.request();
        });
        if (formed.kind == BatchKind::Continuous && row != formed.rows.end()) decision.slot = row->slot;
    }
    for (const RowStart& row : formed.rows) {
        entry(row.request).joined_ns = m_now_ns;
        leave(entry(row.request));
    }
}

// Tokens that running requests were given: where they stand if they lose their place, and what their clients
// got.
void QueueView::follow(const Steps& steps)
{
    if (steps.count == 0) return;
    m_pass_time_ns += stepEndNs(steps, steps.count - 1) - steps.start_ns;
    m_passes += steps.count;
    m_residents.advance(steps, [&](const Resident& resident, std::uint32_t, std::uint32_t count,
                                   StepKind kind) {
        if (resident.kind != BatchKind::Continuous) return; // told when the row ends
        const auto read = std::find_if(steps.reads.begin(), steps.reads.end(), [&](const PromptRead& each) {
            return each.slot == resident.row.slot;
        });
        const int read_tokens = read == steps.reads.end() ? 0 : read->tokens;
        const int generated = kind == StepKind::Useful ? static_cast<int>(count) : 0;
        if (read_tokens == 0 && generated == 0) return;
        Entry& served = entry(resident.row.request);
        served.request.generated += generated;
        if (m_rules.ordering) m_rules.ordering->served(standingOf(served), read_tokens, generated);
    });
}

void QueueView::end(const RowEnded& ended)
{
    const Resident resident = m_residents.end(ended);
    Entry& row = entry(ended.request);
    leave(row);
    if (m_rules.ordering && resident.kind != BatchKind::Continuous)
        m_rules.ordering->served(standingOf(row), resident.row.prompt_tokens, ended.output_tokens);
}

void QueueView::wait(Entry& entry)
{
    if (entry.waits) return;
    ++m_waiting;
    entry.waits = true;
    if (m_order) m_order->enter(standingOf(entry), m_now_ns);
}

void QueueView::leave(Entry& entry)
{
    if (!entry.waits) return;
    --m_waiting;
    entry.waits = false;
    entry.request.aged = false;
    if (m_order) m_order->leave(entry.request.request);
}

Standing QueueView::standingOf(const Entry& entry) const
{
    const WaitingRequest& of = entry.request;
    const int cap = std::max(m_rules.cap, 1);
    const bool is_demoted = m_rules.demotes && of.generated > of.predicted_tokens.value_or(cap);
    const int predicted = is_demoted ? cap : std::clamp(of.predicted_tokens.value_or(cap), 1, cap);
    Standing standing;
    standing.request = of.request;
    standing.arrival_ns = of.arrival_ns;
    standing.prompt_tokens = of.prompt_tokens;
    standing.predicted_tokens = predicted;
    standing.score = entry.score;
    standing.generated_tokens = of.generated;
    // As on a measured run: predicted passes at the mean pass time so far.
    const double pass_s = m_passes > 0 ? toSeconds(m_pass_time_ns) / static_cast<double>(m_passes) : 0.0;
    if (pass_s > 0) standing.service_s = pass_s * (predicted + 1);
    standing.priority = entry.asker.priority;
    standing.client = entry.asker.client;
    standing.ran_ns = entry.ran_ns;
    return standing;
}

bool QueueView::Place::operator<(const Place& other) const
{
    return std::tie(turn, bin, order) < std::tie(other.turn, other.bin, other.order);
}

// The aged first; in grouped mode then whoever has been predicted, those collected for the group's end, and
// newcomers, of whom nothing is known yet.
QueueView::Place QueueView::placeOf(const Entry& entry) const
{
    const WaitingRequest& of = entry.request;
    Place place;
    place.order = {0.0, of.arrival_ns, of.request};
    if (of.aged) return place;
    place.turn = of.recompute ? 2 : !m_rules.bin_width || entry.predicted ? 1 : 3;
    const bool is_known = !m_rules.bin_width || place.turn < 3;
    if (!m_rules.ordering || !is_known) return place;
    const Standing standing = standingOf(entry);
    if (m_rules.bin_width)
        place.bin = (standing.predicted_tokens + *m_rules.bin_width - 1) / *m_rules.bin_width;
    place.order.key = m_rules.ordering->key(standing, m_now_ns);
    return place;
}

std::vector<WaitingRequest> QueueView::waiting() const
{
    if (m_order) m_order->first(m_now_ns); // some orderings promote by the clock, when they are asked
    std::vector<WaitingRequest> result;
    std::vector<std::pair<Place, std::size_t>> served; // its place, and its place by arrival
    result.reserve(m_waiting);
    served.reserve(m_waiting);
    for (const Entry& entry : m_entries)
        if (entry.waits) result.push_back(entry.request);
    std::sort(result.begin(), result.end(), [](const WaitingRequest& a, const WaitingRequest& b) {
        return std::tie(a.arrival_ns, a.request) < std::tie(b.arrival_ns, b.request);
    });
    for (std::size_t i = 0; i < result.size(); ++i)
        served.emplace_back(placeOf(m_entries[result[i].request]), i);
    std::sort(served.begin(), served.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::vector<WaitingRequest> by_arrival = std::move(result);
    result.clear();
    for (const auto& [place, arrived] : served) {
        result.push_back(by_arrival[arrived]);
        result.back().key = place.order.key;
        result.back().moved = static_cast<int>(arrived) - static_cast<int>(result.size() - 1);
    }
    return result;
}

} // namespace batchscope
