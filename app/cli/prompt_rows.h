// SPDX-License-Identifier: GPL-3.0-or-later
// Prompts that lengths are collected from, and the request rows that carry them on.
#pragma once

#include "engine/data/request_file.h"
#include "engine/demo/splits.h"

#include <cstdint>
#include <string>
#include <vector>

namespace batchscope::cli {

// Rows with a prompt each: of a request file (.jsonl, .csv) or a conversation data set (.json, .jsonl). Each
// has a label: a row without an id goes by its number (engine::rowLabel).
std::vector<engine::RequestRow> promptRows(const std::string& file);

// The first `count` instructions of a split of the demo world: "demo", "predictor", "held-out".
std::vector<engine::RequestRow> demoRows(const std::string& split, int count);

} // namespace batchscope::cli
