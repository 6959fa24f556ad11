// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/folds/queue_view.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace batchscope {

void QueueView::append(std::span<const Event> events)
{
    for (const Event& event : events) {
        if (const auto* arrived = std::get_if<Arrived>(&event.body)) {
            Entry& fresh = entry(arrived->request);
            fresh.request.arrival_ns = arrived->arrival_ns;
            fresh.request.prompt_tokens = arrived->prompt_tokens;
            wait(fresh);
        } else if (const auto* predicted = std::get_if<Predicted>(&event.body)) {
            Entry& judged = entry(predicted->request);
            judged.predicted = true;
            judged.request.predicted_tokens = predicted->tokens;
        } else if (const auto* picked = std::get_if<Picked>(&event.body)) {
            decide(event.at_ns, *picked);
        } else if (const auto* formed = std::get_if<BatchFormed>(&event.body)) {
            for (const RowStart& row : formed->rows)
                leave(entry(row.request));
            for (; m_undated < m_decisions.size(); ++m_undated)
                if (m_decisions[m_undated].picked.batch == formed->batch)
                    m_decisions[m_undated].bin = formed->bin;
        } else if (const auto* abandoned = std::get_if<AttemptAbandoned>(&event.body)) {
            Entry& collected = entry(abandoned->request);
            collected.request.recompute = true;
            wait(collected);
        } else if (const auto* row = std::get_if<RowEnded>(&event.body)) {
            leave(entry(row->request));
        }
    }
}

QueueView::Entry& QueueView::entry(RequestIndex request)
{
    if (request >= m_entries.size()) m_entries.resize(request + std::size_t{1});
    m_entries[request].request.request = request;
    return m_entries[request];
}

void QueueView::wait(Entry& entry)
{
    if (!entry.waits) ++m_waiting;
    entry.waits = true;
}

void QueueView::leave(Entry& entry)
{
    if (entry.waits) --m_waiting;
    entry.waits = false;
}

void QueueView::decide(Nanos at_ns, const Picked& picked)
{
    Decision decision;
    decision.number = static_cast<std::int64_t>(m_decisions.size()) + 1;
    decision.at_ns = at_ns;
    decision.picked = picked;
    decision.predicted = entry(picked.request).request.predicted_tokens;
    if (picked.first_passed)
        decision.first_passed_predicted = entry(*picked.first_passed).request.predicted_tokens;
    m_decisions.push_back(decision);
}

// Whoever has been predicted is in the order already; then those collected for the group's end; then
// newcomers, of whom nothing is known yet.
bool QueueView::servedBefore(const Entry& a, const Entry& b) const
{
    const auto turn = [](const Entry& entry) {
        return entry.request.recompute ? 1 : entry.predicted ? 0 : 2;
    };
    if (turn(a) != turn(b)) return turn(a) < turn(b);
    if (m_by_prediction) { // unknown stands for the cap: behind all others
        const int length_a = a.request.predicted_tokens.value_or(std::numeric_limits<int>::max());
        const int length_b = b.request.predicted_tokens.value_or(std::numeric_limits<int>::max());
        if (length_a != length_b) return length_a < length_b;
    }
    if (a.request.arrival_ns != b.request.arrival_ns) return a.request.arrival_ns < b.request.arrival_ns;
    return a.request.request < b.request.request;
}

std::vector<WaitingRequest> QueueView::waiting() const
{
    std::vector<const Entry*> order;
    order.reserve(m_waiting);
    for (const Entry& entry : m_entries)
        if (entry.waits) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
        return a->request.arrival_ns < b->request.arrival_ns ||
               (a->request.arrival_ns == b->request.arrival_ns && a->request.request < b->request.request);
    });
    std::vector<std::pair<const Entry*, int>> served; // with its place by arrival
    served.reserve(order.size());
    for (const Entry* entry : order)
        served.emplace_back(entry, static_cast<int>(served.size()));
    std::sort(served.begin(), served.end(),
              [&](const auto& a, const auto& b) { return servedBefore(*a.first, *b.first); });
    std::vector<WaitingRequest> result;
    result.reserve(served.size());
    for (const auto& [entry, by_arrival] : served) {
        result.push_back(entry->request);
        result.back().moved = by_arrival - static_cast<int>(result.size() - 1);
    }
    return result;
}

namespace {

std::string prediction(std::optional<int> tokens)
{
    return tokens ? fmt::format("predicted {} tokens", *tokens) : std::string("no prediction");
}

std::string reason(const Picked& picked)
{
    const std::string next =
        picked.runner_up ? fmt::format("r{}", *picked.runner_up) : std::string("the next");
    switch (picked.rule) {
    case PickRule::Arrival:
        return "It had arrived first.";
    case PickRule::Key:
        return fmt::format("Its key {:g} goes before {:g} of {}.", picked.key, picked.runner_up_key, next);
    case PickRule::Tie:
        return fmt::format("Its key equals that of {}; it had arrived first.", next);
    case PickRule::Bin:
        return fmt::format("Its bin is smaller than that of {}.", next);
    case PickRule::Aged:
        return "It was promoted: its wait had passed the ageing bound.";
    case PickRule::OnlyOne:
        return "Nobody else waited.";
    case PickRule::Recompute:
        return "Its first attempt was cut short by the predicted limit; it runs again.";
    }
    return {};
}

} // namespace

std::string QueueView::explain(const Decision& decision) const
{
    const Picked& picked = decision.picked;
    std::string text = fmt::format("r{} goes next into batch {}.", picked.request, picked.batch);
    if (decision.predicted) {
        text += fmt::format(" Predicted {} tokens", *decision.predicted);
        if (decision.bin) text += fmt::format(", bin {}", *decision.bin);
        text += fmt::format("; waited {:.1f} s.", toSeconds(picked.waited_ns));
    } else {
        text += fmt::format(" It waited {:.1f} s.", toSeconds(picked.waited_ns));
    }
    text += " " + reason(picked);
    if (picked.first_passed && picked.passed_over == 1)
        text += fmt::format(" Passed over r{}: {}.", *picked.first_passed,
                            prediction(decision.first_passed_predicted));
    else if (picked.first_passed)
        text += fmt::format(" Passed over {} that had arrived earlier, the first of them r{}: {}.",
                            picked.passed_over, *picked.first_passed,
                            prediction(decision.first_passed_predicted));
    return text;
}

} // namespace batchscope
