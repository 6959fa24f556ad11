// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/folds/decision.h"

#include <fmt/format.h>

namespace batchscope {
namespace {

std::string tokens(int count)
{
    return count == 1 ? std::string("1 token") : fmt::format("{} tokens", count);
}

std::string prediction(std::optional<int> predicted)
{
    return predicted ? fmt::format("predicted {}", tokens(*predicted)) : std::string("no prediction");
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

std::string where(const Decision& decision)
{
    const Picked& picked = decision.picked;
    if (!decision.slot) return fmt::format("r{} goes next into batch {}.", picked.request, picked.batch);
    if (decision.generated == 0)
        return fmt::format("r{} goes next into slot {}.", picked.request, *decision.slot);
    return fmt::format("r{} comes back into slot {}: {}.", picked.request, *decision.slot,
                       decision.keeps_kv
                           ? fmt::format("its {} were kept", tokens(decision.generated))
                           : fmt::format("its prompt and {} are read again", tokens(decision.generated)));
}

std::string explainPreemption(const Decision& decision)
{
    const Preempted& lost = *decision.preempted;
    std::string text =
        lost.in_favour_of
            ? fmt::format("r{} loses slot {} to r{}. Its key {:g} goes behind {:g}.", lost.request, lost.slot,
                          *lost.in_favour_of, lost.key, lost.favoured_key)
            : fmt::format("r{} loses slot {}. The next pass would not fit into the KV budget, and its "
                          "key {:g} is the worst of those that run.",
                          lost.request, lost.slot, lost.key);
    return text + (lost.keeps_kv ? fmt::format(" It waits with its {} kept.", tokens(decision.generated))
                                 : fmt::format(" It waits; its prompt and {} will be read again.",
                                               tokens(decision.generated)));
}

} // namespace

std::string explain(const Decision& decision)
{
    if (decision.preempted) return explainPreemption(decision);
    const Picked& picked = decision.picked;
    std::string text = where(decision);
    if (decision.predicted) {
        text += fmt::format(" Predicted {}", tokens(*decision.predicted));
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
