// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/continuous_batch.h"

#include "scheduler/loop/loop_core.h"
#include "scheduler/loop/span_writer.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <numeric>

namespace batchscope {
namespace {

// Passes of growth that must be free for every row before another joins: it would be thrown out again at
// once.
constexpr int k_headroom_passes = 16;

} // namespace

ContinuousBatch::ContinuousBatch(const ContinuousRules& rules) : m_rules(rules)
{
    m_plan.static_batch = false;
    std::vector<std::uint32_t> slots(rules.slots);
    std::iota(slots.begin(), slots.end(), 0U);
    m_free_slots = std::priority_queue(std::greater<>{}, std::move(slots));
}

void ContinuousBatch::serve(LoopCore& core)
{
    core.checkpoint();
    core.promoteAged();
    if (m_rules.demotes) demoteOverrunners(core);
    admit(core);
    evictUntilNextPassFits(core);
    if (m_rows.empty())
        throw BackendError("no waiting request can be admitted, and none runs: the KV budget is too small");
    runSpan(core);
    core.absorb();
}

// A row that outgrew its prediction counts as one of the cap from then on.
void ContinuousBatch::demoteOverrunners(LoopCore& core)
{
    for (Row& row : m_rows) {
        Served& served = core.served(row.start.request);
        if (row.was_demoted || !served.predicted_tokens || row.yielded <= *served.predicted_tokens) continue;
        served.predicted_tokens.reset();
        row.was_demoted = true;
    }
}

std::optional<std::int64_t> ContinuousBatch::kvBudgetTokens(const LoopCore& core) const
{
    const KvBudget& kv = core.extent().kv;
    if (!kv.bytes) return std::nullopt;
    return *kv.bytes / kv.bytes_per_token;
}

int ContinuousBatch::mostTokens(const LoopCore& core, RequestIndex request) const
{
    const Request& asked = core.request(request);
    return asked.prompt_tokens + core.maxNewTokens(asked);
}

// Before its next token: the prompt, and after a recompute preemption also what it had generated.
int ContinuousBatch::tokensToRead(const LoopCore& core, RequestIndex request) const
{
    const Served& served = core.served(request);
    if (served.suspended && served.keeps_kv) return 0;
    return core.request(request).prompt_tokens + served.generated_tokens;
}

bool ContinuousBatch::fitsPass(const LoopCore& core, RequestIndex candidate) const
{
    const bool is_reading =
        std::any_of(m_rows.begin(), m_rows.end(), [](const Row& r) { return r.isReading(); });
    if (m_rules.chunked_prefill) // one prompt at a time, and a token at least is left for it
        return !is_reading &&
               (!m_rules.token_budget || static_cast<int>(m_rows.size()) < *m_rules.token_budget);
    if (!m_rules.token_budget) return true;
    std::int64_t tokens = tokensToRead(core, candidate);
    for (const Row& row : m_rows)
        tokens += row.isReading() ? row.unread : 1;
    return tokens <= *m_rules.token_budget;
}

bool ContinuousBatch::fitsKv(const LoopCore& core, RequestIndex candidate) const
{
    const auto budget = kvBudgetTokens(core);
    if (!budget) return true;
    const int most = mostTokens(core, candidate);
    const bool reserves =
        m_rules.preemption == Preemption::None || core.served(candidate).evictions >= m_rules.most_evictions;
    if (reserves || m_rows.empty()) return m_kv_tokens + most <= *budget || m_rows.empty();
    const Served& served = core.served(candidate);
    const std::int64_t now = core.request(candidate).prompt_tokens + served.generated_tokens;
    const auto growing =
        std::count_if(m_rows.begin(), m_rows.end(), [](const Row& r) { return !r.is_reserved; });
    return m_kv_tokens + now + (growing + 1) * k_headroom_passes <= *budget;
}

std::optional<std::size_t> ContinuousBatch::worstEvictable(LoopCore& core) const
{
    const Nanos now_ns = core.now();
    std::optional<std::size_t> worst;
    OrderKey worst_key;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        if (row.isReading() || row.is_reserved) continue;
        const Standing standing = core.standing(row.start.request);
        const OrderKey key{core.ordering().key(standing, now_ns), standing.arrival_ns, standing.request};
        if (worst && !(worst_key < key)) continue;
        worst = i;
        worst_key = key;
    }
    return worst;
}

// Takes the place of the worst row that may lose it, if the candidate's key is strictly better.
bool ContinuousBatch::evictFor(LoopCore& core, RequestIndex candidate)
{
    if (m_rules.preemption == Preemption::None || !(core.ordering().preempts() || m_rules.demotes))
        return false;
    const Nanos now_ns = core.now();
    const double key = core.ordering().key(core.standing(candidate), now_ns);
    std::optional<std::size_t> worst;
    double worst_key = key;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        const Served& served = core.served(row.start.request);
        if (row.isReading() || row.is_reserved || served.is_aged) continue;
        if (served.evictions >= m_rules.most_evictions) continue;
        if (!core.ordering().preempts() && !row.was_demoted) continue;
        const Standing standing = core.standing(row.start.request);
        if (core.ordering().keepsPlace(standing)) continue;
        const double row_key = core.ordering().key(standing, now_ns);
        if (row_key <= worst_key) continue;
        worst = i;
        worst_key = row_key;
    }
    if (!worst) return false;
    evict(core, *worst, candidate);
    return true;
}

void ContinuousBatch::evict(LoopCore& core, std::size_t index, std::optional<RequestIndex> in_favour_of)
{
    const Row row = m_rows[index];
    const RequestIndex request = row.start.request;
    Served& served = core.served(request);
    const Nanos now_ns = core.now();
    Preempted preempted{request,
                        *m_batch,
                        row.start.slot,
                        core.ordering().key(core.standing(request), now_ns),
                        in_favour_of,
                        0.0,
                        m_rules.preemption == Preemption::KeepKv};
    if (in_favour_of) preempted.favoured_key = core.ordering().key(core.standing(*in_favour_of), now_ns);
    served.suspended = row.handle;
    served.keeps_kv = preempted.keeps_kv;
    served.is_aged = false;
    ++served.evictions;
    if (served.keeps_kv)
        core.backend().hold(row.handle);
    else
        core.backend().evict(row.handle);
    core.emit(preempted);
    m_kv_tokens -= row.kv_tokens;
    m_free_slots.push(row.start.slot);
    m_rows.erase(m_rows.begin() + static_cast<std::ptrdiff_t>(index));
    core.waitAgain(request);
}

// Slot, token budget and KV for the candidate, taken from others where that is allowed.
bool ContinuousBatch::makeRoom(LoopCore& core, RequestIndex candidate)
{
    if (!fitsPass(core, candidate)) return false;
    while (m_free_slots.empty() || !fitsKv(core, candidate))
        if (!evictFor(core, candidate)) return false;
    return true;
}

void ContinuousBatch::reserveOrCount(const LoopCore& core, Row& row) const
{
    const RequestIndex request = row.start.request;
    row.is_reserved =
        m_rules.preemption == Preemption::None || core.served(request).evictions >= m_rules.most_evictions;
    row.kv_tokens = row.is_reserved ? mostTokens(core, request)
                                    : row.start.prompt_tokens + core.served(request).generated_tokens;
}

ContinuousBatch::Row ContinuousBatch::seat(LoopCore& core, RequestIndex index)
{
    const Request& request = core.request(index);
    Served& served = core.served(index);
    Row row;
    row.start.slot = takeSlot();
    row.start.request = index;
    row.start.prompt_tokens = request.prompt_tokens;
    row.start.limit_steps = core.maxNewTokens(request);
    row.unread = tokensToRead(core, index);
    row.yielded = served.generated_tokens;
    reserveOrCount(core, row);
    if (served.suspended) {
        row.start.attempt = static_cast<std::uint16_t>(served.attempts - 1);
        row.start.resumed_tokens = served.generated_tokens;
        row.handle = *served.suspended;
        served.suspended.reset();
        return row;
    }
    row.start.attempt = served.attempts++;
    row.start.held_prefill = served.held.has_value();
    Admission admission;
    admission.request = &request;
    admission.max_new_tokens = row.start.limit_steps;
    if (core.workload().lengths != LengthMode::Free) admission.forced_length = request.output_tokens;
    admission.sampling = core.workload().sampling;
    row.handle = core.backend().admit(admission, core.takeHeld(index));
    return row;
}

std::uint32_t ContinuousBatch::takeSlot()
{
    const std::uint32_t slot = m_free_slots.top();
    m_free_slots.pop();
    return slot;
}

// By ordering, until one does not fit: nobody behind it slips in.
void ContinuousBatch::admit(LoopCore& core)
{
    BatchFormed formed;
    formed.kind = BatchKind::Continuous;
    std::vector<Resumed> resumed;
    const Nanos at_ns = core.now();
    while (const std::optional<RequestIndex> first = core.firstWaiting()) {
        if (!makeRoom(core, *first)) break;
        if (!m_batch) {
            m_batch = core.nextBatch();
            m_steps = 0;
        }
        core.takeOne(*first);
        const double key = core.served(*first).key;
        const std::optional<RequestIndex> runner_up = core.firstWaiting();
        core.served(*first).key = key;
        core.emitAt(at_ns, core.explainPick(*first, *m_batch, at_ns, runner_up));
        const bool resumes = core.served(*first).suspended.has_value();
        const bool keeps_kv = core.served(*first).keeps_kv;
        m_rows.push_back(seat(core, *first));
        const RowStart& start = m_rows.back().start;
        m_kv_tokens += m_rows.back().kv_tokens;
        formed.rows.push_back(start);
        if (resumes) resumed.push_back({*first, *m_batch, start.slot, keeps_kv ? start.resumed_tokens : 0});
    }
    if (formed.rows.empty()) return;
    formed.batch = *m_batch;
    core.emitAt(at_ns, std::move(formed));
    for (const Resumed& row : resumed)
        core.emitAt(at_ns, row);
}

// Rows without a reservation grow by a token a pass. Whoever has the worst key goes when the next does not
// fit.
void ContinuousBatch::evictUntilNextPassFits(LoopCore& core)
{
    const auto budget = kvBudgetTokens(core);
    if (!budget || m_rules.preemption == Preemption::None) return;
    const auto growth = [this] {
        return std::count_if(m_rows.begin(), m_rows.end(), [](const Row& row) { return !row.is_reserved; });
    };
    while (m_kv_tokens + growth() > *budget) {
        const auto worst = worstEvictable(core);
        if (!worst || m_rows.size() == 1) break; // one alone was seen to fit to its end before the run
        evict(core, *worst, std::nullopt);
    }
}

std::uint32_t ContinuousBatch::mostSteps(LoopCore& core) const
{
    std::int64_t steps = std::numeric_limits<std::int32_t>::max();
    std::int64_t growth = 0;
    for (const Row& row : m_rows) {
        if (row.isReading()) return 1; // what the next pass reads is planned anew
        growth += row.is_reserved ? 0 : 1;
        if (core.waiting().empty()) continue;
        if (const auto worse = core.ordering().passesUntilWorse(core.standing(row.start.request)))
            steps = std::min<std::int64_t>(steps, std::max(1, *worse));
        const Served& served = core.served(row.start.request);
        if (m_rules.demotes && !row.was_demoted && served.predicted_tokens)
            steps = std::min<std::int64_t>(steps, std::max(1, *served.predicted_tokens + 1 - row.yielded));
    }
    const auto budget = kvBudgetTokens(core);
    if (budget && growth > 0 && m_rules.preemption != Preemption::None)
        steps = std::min(steps, std::max<std::int64_t>(1, (*budget - m_kv_tokens) / growth));
    return static_cast<std::uint32_t>(steps);
}

// An arrival matters while somebody could be admitted at once, or could take another's place.
Nanos ContinuousBatch::notBeyond(LoopCore& core, Nanos start_ns) const
{
    const Nanos longest = longestSpanEnd(core, start_ns);
    const bool could_join = !m_free_slots.empty() || (m_rules.preemption != Preemption::None &&
                                                      (core.ordering().preempts() || m_rules.demotes));
    if (!could_join || !core.moreCanArrive()) return longest;
    return std::min(longest, core.nextArrivalNs());
}

// Every row decodes, or reads: whole prompts, or with chunks as much as the budget leaves beside those who
// decode.
std::vector<PromptRead> ContinuousBatch::plan()
{
    std::vector<PromptRead> reads;
    m_plan.rows.clear();
    const auto decoding =
        std::count_if(m_rows.begin(), m_rows.end(), [](const Row& r) { return !r.isReading(); });
    std::int64_t left = std::numeric_limits<std::int32_t>::max();
    if (m_rules.chunked_prefill && m_rules.token_budget) left = *m_rules.token_budget - decoding;
    for (const Row& row : m_rows) {
        if (row.start.held_prefill && row.yielded == 0) {
            m_plan.rows.push_back({row.handle, RowRole::Held, 0});
            reads.push_back({row.start.slot, 0, true});
        } else if (row.isReading()) {
            const int tokens = static_cast<int>(std::min<std::int64_t>(row.unread, left));
            left -= tokens;
            m_plan.rows.push_back({row.handle, RowRole::Read, tokens});
            reads.push_back({row.start.slot, tokens, tokens == row.unread});
        } else {
            m_plan.rows.push_back({row.handle, RowRole::Decode, 0});
        }
    }
    return reads;
}

void ContinuousBatch::runSpan(LoopCore& core)
{
    const std::uint32_t at_most = mostSteps(core);
    std::vector<PromptRead> reads = plan();
    m_plan.first = m_steps == 0;
    const SpanStart start{*m_batch, m_steps, core.now(), core.nowPs()};
    const PassResult result =
        core.backend().run(m_plan, at_most, start.start_ns, notBeyond(core, start.start_ns));
    checkResult(core, *m_batch, result, at_most);
    const std::vector<PromptRead> read = reads;
    emitSpan(core, start, result, std::move(reads));
    m_steps += result.steps;
    advance(core, result, read);
    endRows(core, result.ended);
    core.sampleMemoryCoarsely();
    closeIfEmpty(core);
}

void ContinuousBatch::advance(LoopCore& core, const PassResult& result, const std::vector<PromptRead>& reads)
{
    const auto steps = static_cast<int>(result.steps);
    auto read = reads.begin();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        int tokens = 0;
        const bool reads_now = read != reads.end() && read->slot == row.start.slot;
        if (reads_now) tokens = (read++)->tokens;
        row.unread = row.start.held_prefill && row.yielded == 0 ? 0 : row.unread - tokens;
        Served& served = core.served(row.start.request);
        const int before = row.yielded;
        if (row.unread == 0) row.yielded += steps;
        served.generated_tokens = row.yielded;
        const int growth = row.is_reserved || row.unread > 0 ? 0 : steps;
        row.kv_tokens += growth;
        m_kv_tokens += growth;
        core.ordering().served(core.standing(row.start.request), tokens, row.yielded - before);
        if (i < result.new_ids.size() && !result.new_ids[i].empty())
            core.sink().appendTokens(row.start.request, row.start.attempt, result.new_ids[i]);
    }
}

void ContinuousBatch::endRows(LoopCore& core, std::vector<RowOutcome> ended)
{
    std::sort(ended.begin(), ended.end(),
              [](const RowOutcome& a, const RowOutcome& b) { return a.row < b.row; });
    for (const RowOutcome& outcome : ended) {
        if (outcome.row >= m_rows.size())
            throw BackendError(fmt::format("the backend ended row {} of {}", outcome.row, m_rows.size()));
        const Row& row = m_rows[outcome.row];
        core.emit(RowEnded{*m_batch, row.start.slot, row.start.request, row.start.attempt, outcome.cause,
                           outcome.output_tokens, m_steps});
        core.backend().release(row.handle);
        m_kv_tokens -= row.kv_tokens;
        m_free_slots.push(row.start.slot);
        core.complete(row.start.request, core.now());
    }
    auto next = ended.begin();
    std::size_t at = 0;
    std::erase_if(m_rows, [&](const Row&) {
        const bool has_ended = next != ended.end() && next->row == at;
        if (has_ended) ++next;
        ++at;
        return has_ended;
    });
}

void ContinuousBatch::closeIfEmpty(LoopCore& core)
{
    if (!m_rows.empty()) return;
    core.emit(BatchEnded{*m_batch, m_steps});
    m_batch.reset();
}

void ContinuousBatch::closeEarly(LoopCore& core, RowEnd cause)
{
    if (!m_batch) return;
    for (const Row& row : m_rows)
        core.emit(RowEnded{*m_batch, row.start.slot, row.start.request, row.start.attempt, cause, row.yielded,
                           m_steps});
    m_rows.clear();
    closeIfEmpty(core);
}

} // namespace batchscope
