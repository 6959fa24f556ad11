// SPDX-License-Identifier: GPL-3.0-or-later
// A folder with a session for the simulator, its request file and a database: what a window is opened on.
#pragma once

#include "app/window/options.h"
#include "tests/support/demo_log.h"

#include <QTemporaryDir>
#include <filesystem>
#include <fstream>

namespace batchscope::tests {

inline constexpr const char* k_session = R"({
  "schema": "batchscope.session/1", "name": "Two on the simulator",
  "backend": {"type": "simulated", "preset": "vicuna-7b-a100"},
  "workload": {"source": {"type": "file", "path": "requests.jsonl"}},
  "strategies": [
    {"name": "Vanilla", "batching": {"type": "static", "rows": 8}},
    {"name": "SeqSch", "predictor": {"type": "recorded"}, "ordering": {"type": "sjf"},
     "batching": {"type": "grouped", "group": 48, "rows": 8, "bin_width": 25}, "correction": {"type": "fcr"}}]
})";

struct Place // a folder with a session, its request file and a database
{
    QTemporaryDir dir;
    std::filesystem::path path() const { return dir.path().toStdString(); }
    std::filesystem::path session() const { return path() / "two.json"; }

    Place()
    {
        std::ofstream(session()) << k_session;
        std::ofstream requests(path() / "requests.jsonl");
        for (const Request& r : tests::demoWorkload().requests)
            requests << "{\"prompt_tokens\": " << r.prompt_tokens
                     << ", \"output_tokens\": " << *r.output_tokens
                     << ", \"predicted_tokens\": " << *r.predicted_tokens << "}\n";
    }

    window::WindowOptions options() const
    {
        window::WindowOptions o;
        o.session = session();
        o.database = path() / "runs.db";
        o.size = QSize(1280, 800);
        o.reset_layout = true;
        return o;
    }
};

} // namespace batchscope::tests
