// SPDX-License-Identifier: GPL-3.0-or-later
// Reads, off the window's thread and without torch, what a session's workload and model folder give.
#pragma once

#include "engine/tokenizer/tokenizer.h"
#include "scheduler/registry.h"
#include "sessions/session_document.h"
#include "widgets/compose/facts.h"

#include <memory>

namespace batchscope::window {

struct ComposeFacts
{
    widgets::WorkloadFacts workload;
    widgets::ModelFacts model;
    std::shared_ptr<const engine::Tokenizer> tokenizer; // shared: views decode while the next session is read
};

ComposeFacts readComposeFacts(const sessions::SessionDocument& document, const Registry& registry);

// MemAvailable of the machine; 0 where it cannot be read.
std::int64_t availableMemory();

} // namespace batchscope::window
