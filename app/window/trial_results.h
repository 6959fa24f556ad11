// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps and advice as their page shows them.
#pragma once

#include "app/experiment/advisor.h"
#include "app/experiment/sweep.h"
#include "app/window/trial_runner.h"

namespace batchscope::window {

TrialOutcome outcomeOf(const app::AdvisorResult& result);
TrialOutcome outcomeOf(const app::Sweep& sweep, const app::SweepResult& result);

} // namespace batchscope::window
