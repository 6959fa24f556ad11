// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/continuous_batch.h"

#include "scheduler/loop/loop_core.h"
#include "scheduler/parts/compat.h"

#include <algorithm>
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
    if (!m_batch) learn(core);
    core.promoteAged();
    if (m_rules.demotes) demoteOverrunners(core);
    if (m_may_form || m_rows.empty() || !m_rules.reforms_at_ends) admit(core);
    m_may_form = false;
    evictUntilNextPassFits(core);
    if (m_rows.empty())
        throw BackendError("no waiting request can be admitted, and none runs: the KV budget is too small");
    runSpan(core);
    core.absorb();
}

// The published code's queue for a batch is the whole of those who run and wait.
std::optional<Nanos> ContinuousBatch::putOffUntil(const LoopCore& core) const
{
    if (!m_rules.waits_in_vain || !m_may_form) return std::nullopt;
    if (m_rows.size() + core.waiting().size() >= m_rules.slots) return std::nullopt;
    const Nanos since_ns = m_rows.empty() ? core.waiting().oldestArrivalNs() : m_may_form_since_ns;
    return since_ns + k_published_batch_wait_ns;
}

// What does not change while a batch stands.
void ContinuousBatch::learn(LoopCore& core)
{
    const KvBudget& kv = core.extent().kv;
    m_kv_budget_tokens.reset();
    if (kv.bytes) m_kv_budget_tokens = *kv.bytes / kv.bytes_per_token;
    m_follows_service = core.ordering().followsService();
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
    if (!m_rules.chunked_prefill && !m_rules.token_budget) return true;
    const bool is_reading =
        std::any_of(m_rows.begin(), m_rows.end(), [](const Row& r) { return r.isReading(); });
    if (m_rules.chunked_prefill) // one prompt at a time, and a token at least is left for it
        return !is_reading &&
               (!m_rules.token_budget || static_cast<int>(m_rows.size()) < *m_rules.token_budget);
    std::int64_t tokens = tokensToRead(core, candidate);
    for (const Row& row : m_rows)
        tokens += row.isReading() ? row.unread : 1;
    return tokens <= *m_rules.token_budget;
}

bool ContinuousBatch::fitsKv(const LoopCore& core, RequestIndex candidate) const
{
    const auto& budget = m_kv_budget_tokens;
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

// Whether a waiting request may take a running one's place.
bool ContinuousBatch::mayEvict(LoopCore& core) const
{
    return m_rules.preemption != Preemption::None && (core.ordering().preempts() || m_rules.demotes);
}

// Takes the place of the worst row that may lose it, if the candidate's key is strictly better.
bool ContinuousBatch::evictFor(LoopCore& core, RequestIndex candidate, Nanos at_ns)
{
    if (!mayEvict(core)) return false;
    const double key = core.ordering().key(core.standing(candidate), at_ns);
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
        const double row_key = core.ordering().key(standing, at_ns);
        if (row_key <= worst_key) continue;
        worst = i;
        worst_key = row_key;
    }
    if (!worst) return false;
    evict(core, *worst, candidate, at_ns);
    return true;
}

void ContinuousBatch::evict(LoopCore& core, std::size_t index, std::optional<RequestIndex> in_favour_of,
                            Nanos at_ns)
{
    const Row row = m_rows[index];
    const RequestIndex request = row.start.request;
    Served& served = core.served(request);
    Preempted preempted{request,
                        *m_batch,
                        row.start.slot,
                        core.ordering().key(core.standing(request), at_ns),
                        in_favour_of,
                        0.0,
                        m_rules.preemption == Preemption::KeepKv};
    if (in_favour_of) preempted.favoured_key = core.ordering().key(core.standing(*in_favour_of), at_ns);
    served.suspended = row.handle;
    served.keeps_kv = preempted.keeps_kv;
    served.is_aged = false;
    served.ran_ns += at_ns - served.joined_ns.value_or(at_ns);
    served.joined_ns.reset();
    ++served.evictions;
    if (served.keeps_kv)
        core.backend().hold(row.handle);
    else
        core.backend().evict(row.handle);
    core.emitAt(at_ns, preempted);
    m_kv_tokens -= row.kv_tokens;
    m_free_slots.push(row.start.slot);
    m_rows.erase(m_rows.begin() + static_cast<std::ptrdiff_t>(index));
    core.waitAgain(request);
}

// Slot, token budget and KV for the candidate, taken from others where that is allowed.
bool ContinuousBatch::makeRoom(LoopCore& core, RequestIndex candidate, Nanos at_ns)
{
    if (!fitsPass(core, candidate)) return false;
    while (m_free_slots.empty() || !fitsKv(core, candidate))
        if (!evictFor(core, candidate, at_ns)) return false;
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

ContinuousBatch::Row ContinuousBatch::seat(LoopCore& core, RequestIndex index, Nanos at_ns)
{
    const Request& request = core.request(index);
    Served& served = core.served(index);
    Row row;
    row.start.slot = takeSlot();
    row.start.request = index;
    row.start.prompt_tokens = request.prompt_tokens;
    row.start.limit_steps = core.maxNewTokens(request);
    row.unread = tokensToRead(core, index);
    served.joined_ns = at_ns;
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
    while (!m_free_slots.empty() || mayEvict(core)) {
        const std::optional<RequestIndex> first = core.firstWaiting();
        if (!first) break;
        if (!makeRoom(core, *first, at_ns)) break;
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
        m_rows.push_back(seat(core, *first, at_ns));
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
    const auto& budget = m_kv_budget_tokens;
    if (!budget || m_rules.preemption == Preemption::None) return;
    const auto growth = [this] {
        return std::count_if(m_rows.begin(), m_rows.end(), [](const Row& row) { return !row.is_reserved; });
    };
    const Nanos at_ns = core.now();
    while (m_kv_tokens + growth() > *budget) {
        const auto worst = worstEvictable(core);
        if (!worst || m_rows.size() == 1) break; // one alone was seen to fit to its end before the run
        evict(core, *worst, std::nullopt, at_ns);
    }
}

} // namespace batchscope
