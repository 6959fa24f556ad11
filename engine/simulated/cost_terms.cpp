// SPDX-License-Identifier: GPL-3.0-or-later
// A cost model for people: its terms with units, and how well it fits.
#include "engine/simulated/cost_model_file.h"

#include <fmt/format.h>

namespace batchscope::engine {
namespace {

constexpr double k_ps_per_us = 1e6, k_ns_per_us = 1e3;

void addLinear(std::vector<CostTerm>& terms, const CostModel& m)
{
    const auto add = [&](const char* name, Picos ps, const char* help) {
        if (ps != 0) terms.push_back({name, static_cast<double>(ps) / k_ps_per_us, "µs", help});
    };
    add("pass", m.pass_ps, "every pass");
    add("row", m.row_ps, "each row of a pass");
    add("context_token", m.context_token_ps, "each token in a row's KV cache");
    add("prefill_token", m.prefill_token_ps, "each prompt token read");
    add("attended_token", m.attended_token_ps, "each pair of a token fed and a token it attends to");
    add("reading_pass", m.reading_pass_ps, "a pass that reads prompts");
    add("mixed_row", m.mixed_row_ps, "each row that decodes in a pass that reads prompts");
    add("swap_token", m.swap_token_ps, "each token whose KV cache goes to host memory or comes back");
}

void addResource(std::vector<CostTerm>& terms, const std::string& name, const ResourceTerms& r)
{
    const auto add = [&](const char* term, Picos ps, const char* help) {
        if (ps != 0) terms.push_back({name + "." + term, static_cast<double>(ps) / k_ps_per_us, "µs", help});
    };
    add("pass", r.pass, "every pass");
    add("row", r.row, "each row of a pass");
    add("token", r.token, "each token fed");
    add("context_token", r.context_token, "each token in a row's KV cache");
    add("attended_token", r.attended_token, "each pair of a token fed and a token it attends to");
}

} // namespace

std::vector<CostTerm> costTerms(const CostModel& model)
{
    std::vector<CostTerm> terms;
    addLinear(terms, model);
    if (model.roofline) {
        addResource(terms, "arithmetic", model.roofline->arithmetic);
        addResource(terms, "traffic", model.roofline->traffic);
    }
    const auto add_prediction = [&](const char* name, Nanos ns, const char* help) {
        if (ns != 0) terms.push_back({name, static_cast<double>(ns) / k_ns_per_us, "µs", help});
    };
    add_prediction("prediction.call", model.prediction_call_ns, "each call of a predictor");
    add_prediction("prediction.request", model.prediction_request_ns, "each request of such a call");
    return terms;
}

std::string costKindName(CostKind kind)
{
    switch (kind) {
    case CostKind::Linear:
        return "linear";
    case CostKind::Roofline:
        return "roofline";
    case CostKind::Calibrated:
        return "calibrated";
    }
    return "linear";
}

std::string describeFit(const CostModel& model)
{
    if (!model.fit) return {};
    const FitError& fit = *model.fit;
    return fmt::format("{} ({} point{}): off by {:.2f} % on average, {:.2f} % at most", fit.to, fit.points,
                       fit.points == 1 ? "" : "s", 100 * fit.mean_relative_error,
                       100 * fit.max_relative_error);
}

} // namespace batchscope::engine
