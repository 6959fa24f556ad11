// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/compose_reader.h"

#include "app/experiment/experiment.h"
#include "app/experiment/model_access.h"
#include "app/experiment/offered_load.h"
#include "app/experiment/run_environment.h"
#include "engine/checkpoint/inspect.h"
#include "engine/data/trace_time.h"
#include "engine/simulated/cost_model_file.h"
#include "widgets/look/formats.h"

#include <QCoreApplication>
#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace batchscope::window {
namespace {

using widgets::count;

QString tr(const char* text)
{
    return QCoreApplication::translate("ComposeReader", text);
}

widgets::PredictorFacts predictorFacts(const engine::PredictorFacts& found)
{
    widgets::PredictorFacts facts;
    facts.name = QString::fromStdString(found.name);
    facts.usable = found.manifest && found.fits;
    if (found.manifest) {
        facts.type = QString::fromStdString(found.manifest->type);
        facts.mae = found.manifest->scores.mae;
        facts.tau = found.manifest->scores.kendall_tau_b;
    }
    facts.state = facts.usable ? tr("ready") : found.manifest ? tr("other model") : tr("broken");
    return facts;
}

QString shapeText(const engine::ModelConfig& c)
{
    const QString heads =
        c.heads == c.kv_heads ? QString::number(c.heads) : tr("%1 (%2 for KV)").arg(c.heads).arg(c.kv_heads);
    return tr("%1 layers, hidden %2, heads %3").arg(c.layers).arg(c.hidden).arg(heads);
}

widgets::ModelFacts modelFacts(const std::filesystem::path& folder, const std::string& dtype)
{
    widgets::ModelFacts facts;
    facts.known = true;
    try {
        const engine::ModelReport report = engine::inspectModel(folder);
        const engine::ModelConfig& c = report.config;
        facts.context = c.max_positions;
        facts.free_bytes = availableMemory();
        for (const engine::DTypeMemory& memory : report.memory)
            if (engine::dtypeName(memory.dtype) == dtype) {
                facts.weight_bytes = memory.weight_bytes;
                facts.kv_bytes_per_token = memory.kv_bytes_per_token;
            }
        const QString name = QString::fromStdString(c.template_name);
        facts.lines = {{tr("parameters"), count(report.parameters)},
                       {tr("shape"), shapeText(c)},
                       {tr("weights stored"), QStringLiteral("%1, %2").arg(
                                                  QString::fromStdString(engine::dtypeName(c.stored_dtype)),
                                                  widgets::bytes(report.weight_bytes))},
                       {tr("context"), tr("%1 tokens").arg(count(c.max_positions))},
                       {tr("tokenizer"),
                        report.tokenizer.pieces         ? tr("%1 pieces").arg(count(*report.tokenizer.pieces))
                        : report.tokenizer.file.empty() ? tr("none in the folder")
                                                        : QString::fromStdString(report.tokenizer.file)},
                       {tr("chat template"), report.template_stated ? name : tr("%1 (assumed)").arg(name)},
                       {tr("KV per token"), widgets::bytes(facts.kv_bytes_per_token)}};
        for (const engine::PredictorFacts& found : report.predictors)
            facts.predictors.push_back(predictorFacts(found));
    } catch (const std::exception& error) {
        facts.error = QString::fromUtf8(error.what());
    }
    return facts;
}

// "a pass", "traffic: a context token": the panel is narrow.
QString termName(const engine::CostTerm& term)
{
    QString name = QString::fromStdString(term.name);
    name.replace(QLatin1Char('_'), QLatin1Char(' '));
    const qsizetype dot = name.indexOf(QLatin1Char('.'));
    return dot < 0 ? name : tr("%1: %2").arg(name.left(dot), name.mid(dot + 1));
}

QString termText(const engine::CostTerm& term)
{
    constexpr double k_us_per_ms = 1e3, k_ns_per_us = 1e3;
    if (term.value >= k_us_per_ms) return tr("%1 ms").arg(widgets::number(term.value / k_us_per_ms, 2));
    if (term.value >= 1) return tr("%1 µs").arg(widgets::number(term.value, 1));
    return tr("%1 ns").arg(widgets::number(term.value * k_ns_per_us, 1));
}

widgets::ModelFacts costModelFacts(const sessions::SessionDocument& document)
{
    widgets::ModelFacts facts;
    facts.known = true;
    facts.lines = {{tr("time"), tr("virtual")}};
    try {
        const engine::CostModel model = app::costModelOf(document);
        facts.lines.emplace_back(tr("stands for"), QString::fromStdString(model.title));
        facts.lines.emplace_back(tr("source"), QString::fromStdString(model.basis));
        if (model.fit)
            facts.lines.emplace_back(tr("fit"), QString::fromStdString(engine::describeFit(model)));
        if (model.roofline)
            facts.lines.emplace_back(tr("a pass"), model.roofline->overlaps
                                                       ? tr("the longer of arithmetic and traffic")
                                                       : tr("arithmetic, then traffic"));
        for (const engine::CostTerm& term : engine::costTerms(model))
            facts.lines.emplace_back(termName(term), termText(term));
        if (model.context > 0)
            facts.lines.emplace_back(tr("context"), tr("%1 tokens").arg(count(model.context)));
        if (model.kv_bytes_per_token > 0)
            facts.lines.emplace_back(tr("KV per token"), widgets::bytes(model.kv_bytes_per_token));
        if (model.kv_bytes) facts.lines.emplace_back(tr("KV budget"), widgets::bytes(*model.kv_bytes));
    } catch (const std::exception& error) {
        facts.error = QString::fromUtf8(error.what());
    }
    return facts;
}

// What is estimated without a tokenizer: a request file of lengths alone says how many tokens it has.
bool hasTexts(const Workload& workload)
{
    return std::any_of(workload.requests.begin(), workload.requests.end(),
                       [](const Request& request) { return !request.prompt.empty(); });
}

void fillWorkload(widgets::WorkloadFacts& facts, const app::BuiltWorkload& built)
{
    for (const Request& request : built.workload.requests) {
        facts.prompt_tokens.push_back(request.prompt_tokens);
        if (request.output_tokens) facts.output_tokens.push_back(*request.output_tokens);
        facts.arrivals_s.push_back(toSeconds(request.arrival_ns));
    }
    const auto& all = built.workload.requests;
    facts.has_predictions = !all.empty() && std::all_of(all.begin(), all.end(), [](const Request& r) {
        return r.predicted_tokens.has_value();
    });
    facts.has_lengths = !all.empty() && facts.output_tokens.size() == all.size();
    for (const std::string& row : built.skipped)
        facts.skipped << QString::fromStdString(row);
    for (const std::string& note : built.notes)
        facts.notes << QString::fromStdString(note);
}

void fillImport(widgets::ImportFacts& facts, const engine::ImportReport& report,
                const sessions::SourceSpec& source)
{
    constexpr std::size_t k_told = 5; // row by row
    facts.format = QString::fromStdString(report.format);
    facts.title = QString::fromStdString(report.title);
    facts.why = QString::fromStdString(report.why);
    facts.rows = report.rows;
    facts.skipped = report.skipped;
    facts.requests = report.requests;
    facts.clipped = report.clipped;
    facts.moved = report.moved;
    if (!report.time_unit.empty()) {
        const auto unit = engine::timeUnitFromName(report.time_unit).value_or(engine::TimeUnit::Date);
        const QString text = QString::fromStdString(engine::timeUnitText(unit));
        if (source.time_unit.empty()) facts.time_unit = text;
        facts.times = tr("%1: %2").arg(text, QString::fromStdString(report.time_why));
    }
    for (std::size_t i = 0; i < std::min(k_told, report.skipped_rows.size()); ++i)
        facts.skipped_rows << QString::fromStdString(report.skipped_rows[i].text());
    for (const std::string& name : report.unknown_columns)
        facts.unknown_columns << QString::fromStdString(name);
}

void fillLoad(widgets::LoadFacts& facts, const app::OfferedLoad& load)
{
    facts.rate = load.rate;
    facts.capacity = load.capacity;
    facts.strategy = QString::fromStdString(load.strategy);
}

} // namespace

ComposeFacts readComposeFacts(const sessions::SessionDocument& document, const Registry& registry)
{
    ComposeFacts facts;
    facts.workload.known = true;
    for (const engine::ImportFormat& format : engine::importFormats())
        facts.workload.import.formats.emplace_back(QString::fromStdString(format.name),
                                                   QString::fromStdString(format.title));
    const bool torch = document.backend.type == sessions::BackendSpec::Type::Torch;
    std::string template_name = "vicuna_v1.1", system;
    if (torch) {
        const auto folder = document.backend.model.empty() || document.backend.model == "demo"
                                ? app::demoModelDir()
                                : document.resolvePath(document.backend.model);
        facts.model = modelFacts(folder, document.backend.dtype);
        if (!facts.model.error.isEmpty())
            return facts; // its prompts cannot be counted; Model and device says why
        try {
            app::ModelAccess access = app::openModelFolder(folder);
            facts.tokenizer = std::move(access.tokenizer);
            template_name = access.chat_template.name;
            system = access.chat_template.system;
        } catch (const std::exception& error) {
            facts.model.error = QString::fromUtf8(error.what());
            return facts;
        }
    } else {
        facts.model = costModelFacts(document);
    }
    try {
        const app::BuiltWorkload built =
            app::buildWorkload(document, registry, facts.tokenizer.get(), template_name, system);
        fillWorkload(facts.workload, built);
        if (built.import) fillImport(facts.workload.import, *built.import, document.workload.source);
        if (!torch && hasTexts(built.workload)) facts.workload.counted_by = tr(" (est.)");
        fillLoad(facts.workload.load, app::offeredLoad(document, registry, built.workload));
    } catch (const std::exception& error) {
        facts.workload.error = QString::fromUtf8(error.what());
    }
    return facts;
}

std::int64_t availableMemory()
{
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("MemAvailable:")) continue;
        const std::size_t digit = line.find_first_of("0123456789");
        std::int64_t kibibytes = 0;
        if (digit == std::string::npos) return 0;
        std::from_chars(line.data() + digit, line.data() + line.size(), kibibytes);
        return kibibytes * 1024;
    }
    return 0;
}

} // namespace batchscope::window
