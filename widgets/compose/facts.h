// SPDX-License-Identifier: GPL-3.0-or-later
// What background work found out for Compose: of the workload the session describes, and of the model folder.
#pragma once

#include "scheduler/parts/roofline_knobs.h"

#include <QString>
#include <QStringList>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace batchscope::widgets {

// What the importer made of the workload's file.
struct ImportFacts
{
    QString format, title; // "azure", "Azure LLM ... trace"; empty: the source is no file
    QString why;           // how it was recognised
    std::int64_t rows = 0, skipped = 0, requests = 0, clipped = 0, moved = 0;
    QString time_unit;           // that it proposed; empty: no times, or the unit was set
    QString times;               // how times are read, in words; empty: none
    QStringList skipped_rows;    // with number and reason, as many as are worth telling
    QStringList unknown_columns; // names that mean nothing in this format
    std::vector<std::pair<QString, QString>> formats; // all that can be chosen: name, title
};

// What is asked of the server against what it can serve.
struct LoadFacts
{
    std::optional<double> rate;     // requests/s, as drawn; none: all at once, or a closed loop
    std::optional<double> capacity; // requests/s that `strategy` serves when everybody waits; none: unknown
    QString strategy;
};

struct WorkloadFacts
{
    bool known = false; // false: still being read
    QString error;      // why it cannot be built; empty otherwise
    QString counted_by; // how prompt tokens were counted, when not by the model's tokenizer
    std::vector<int> prompt_tokens, output_tokens; // output: recorded lengths, for those that have one
    std::vector<double> arrivals_s;
    QStringList skipped; // rows left out, with number and reason
    QStringList notes;   // what was assumed
    bool has_predictions = false, has_lengths = false;
    ImportFacts import;
    LoadFacts load;
};

struct PredictorFacts
{
    QString name, type;
    std::optional<double> mae, tau;
    QString state; // "ready", or what is wrong with it
    bool usable = false;
};

struct ModelFacts
{
    bool known = false;
    QString error;
    std::vector<std::pair<QString, QString>> lines; // "layers", "6" ... in the order shown
    std::int64_t weight_bytes = 0;                  // in the chosen dtype
    std::int64_t kv_bytes_per_token = 0;
    int context = 0;
    std::int64_t free_bytes = 0; // memory of the machine that is free now
    std::vector<PredictorFacts> predictors;
};

// What Compose offers for the simulator; the window fills it.
struct SimulatorChoices
{
    struct Preset
    {
        QString name;  // as in the session file
        QString title; // what it stands for
    };
    std::vector<Preset> presets;
    // A model folder's shape as figures of a roofline ("model.layers" ...). Throws where its config.json
    // cannot be used, with the reason.
    std::function<RooflineFigures(const QString& folder)> shape_of;
};

} // namespace batchscope::widgets
