// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/comparability.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace batchscope {

namespace {

class Comparison
{
public:
    void add(const char* what, const std::string& baseline, const std::string& other)
    {
        if (baseline != other) m_differences.push_back({what, baseline, other});
    }
    std::vector<Difference> take() { return std::move(m_differences); }

private:
    std::vector<Difference> m_differences;
};

std::string yesNo(bool value)
{
    return value ? "yes" : "no";
}

std::string quirks(const Strategy& strategy)
{
    return strategy.compat.empty() ? "none" : fmt::format("{}", fmt::join(strategy.compat, ", "));
}

std::string executedBy(const Provenance& provenance)
{
    return provenance.measured ? "measured" : fmt::format("simulated with {}", provenance.cost_model);
}

std::string describe(const Sampling& sampling)
{
    if (sampling.temperature <= 1e-4) return "greedy";
    return fmt::format("temperature {}, top-p {}, seed {}", sampling.temperature, sampling.top_p,
                       sampling.seed);
}

std::string deliveryName(Delivery delivery)
{
    return delivery == Delivery::Streamed ? "streamed" : "batch-end";
}

void compareTokens(Comparison& comparison, const RunFacts& baseline, const RunFacts& other)
{
    const bool replayed = baseline.lengths != LengthMode::Free && other.lengths != LengthMode::Free;
    if (replayed) // else totals differ by right: the model decides anew
        comparison.add("useful output tokens", fmt::format("{}", baseline.useful_output_tokens),
                       fmt::format("{}", other.useful_output_tokens));
    std::optional<RequestIndex> first;
    const auto agreement = outputAgreement(baseline, other, &first);
    if (agreement && first)
        comparison.add("output agreement", "same ids",
                       fmt::format("{:.1f} % of requests have the same ids, the first that differs is r{}",
                                   *agreement * 100, *first));
}

} // namespace

std::string Provenance::sentence() const
{
    if (!measured)
        return fmt::format("simulated with {}", cost_model.empty() ? "an unnamed cost model" : cost_model);
    std::string text = fmt::format("measured on {}", device.empty() ? "an unknown device" : device);
    if (!dtype.empty()) text += ", " + dtype;
    if (threads > 0) text += fmt::format(", {} thread{}", threads, threads == 1 ? "" : "s");
    return text;
}

std::string provenanceSentence(const Provenance& provenance, const Strategy& strategy)
{
    const std::string sentence = provenance.sentence();
    if (strategy.compat.empty()) return sentence;
    return fmt::format("{}, repeating {} of the published code", sentence, fmt::join(strategy.compat, ", "));
}

std::vector<Difference> compareFacts(const RunFacts& baseline, const RunFacts& other)
{
    const Provenance& a = baseline.provenance;
    const Provenance& b = other.provenance;
    Comparison comparison;
    comparison.add("workload", baseline.workload_hash, other.workload_hash);
    comparison.add("output lengths", lengthModeName(baseline.lengths), lengthModeName(other.lengths));
    comparison.add("most new tokens", fmt::format("{}", baseline.strategy.limits.max_new_tokens),
                   fmt::format("{}", other.strategy.limits.max_new_tokens));
    comparison.add("sampling", describe(baseline.sampling), describe(other.sampling));
    comparison.add("arrivals", baseline.arrivals, other.arrivals);
    comparison.add("delivery", deliveryName(baseline.delivery), deliveryName(other.delivery));
    comparison.add("batching window", fmt::format("{} s", baseline.window_s),
                   fmt::format("{} s", other.window_s));
    comparison.add("execution", executedBy(a), executedBy(b));
    comparison.add("published quirks repeated", quirks(baseline.strategy), quirks(other.strategy));
    if (a.measured == b.measured) { // a simulation has none of these: its cost model has been told
        comparison.add("model", a.model, b.model);
        comparison.add("number format", a.dtype, b.dtype);
        comparison.add("device", a.device, b.device);
        comparison.add("threads", fmt::format("{}", a.threads), fmt::format("{}", b.threads));
        comparison.add("warm-up", yesNo(a.warmed_up), yesNo(b.warmed_up));
    }
    comparison.add("watched by a window", yesNo(a.watched), yesNo(b.watched));
    compareTokens(comparison, baseline, other);
    return comparison.take();
}

std::optional<double> outputAgreement(const RunFacts& a, const RunFacts& b,
                                      std::optional<RequestIndex>* first_difference)
{
    if (first_difference) first_difference->reset();
    if (a.output_digests.empty() || b.output_digests.empty()) return std::nullopt;
    const std::size_t shared = std::min(a.output_digests.size(), b.output_digests.size());
    const std::size_t all = std::max(a.output_digests.size(), b.output_digests.size());
    std::size_t same = 0;
    std::optional<RequestIndex> first;
    for (std::size_t i = 0; i < all; ++i) {
        if (i < shared && a.output_digests[i] == b.output_digests[i])
            ++same;
        else if (!first)
            first = static_cast<RequestIndex>(i);
    }
    if (first_difference) *first_difference = first;
    return static_cast<double>(same) / static_cast<double>(all);
}

} // namespace batchscope
