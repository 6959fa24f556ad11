// SPDX-License-Identifier: GPL-3.0-or-later
// Request files and sessions on the simulator for the tests of app/experiment.
#pragma once

#include "app/experiment/experiment.h"

#include <QTemporaryDir>
#include <fmt/format.h>
#include <fstream>
#include <string>

namespace batchscope::tests {

class Workbench
{
public:
    std::filesystem::path file(const std::string& name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    std::filesystem::path write(const std::string& name, const std::string& content) const
    {
        std::ofstream(file(name)) << content;
        return file(name);
    }

    // `count` requests whose output lengths go up and down.
    void writeRequests(const std::string& name, int count) const
    {
        std::string content;
        for (int i = 0; i < count; ++i)
            content += fmt::format("{{\"id\": \"q{}\", \"prompt_tokens\": {}, \"output_tokens\": {}}}\n", i,
                                   5 + i % 7, 1 + i * 37 % 90);
        write(name, content);
    }

    // A simulated session over a request file: vanilla, and sequence scheduling with the oracle.
    sessions::SessionDocument session(const std::string& requests) const
    {
        const auto path =
            write("session.json", fmt::format(R"({{"schema": "batchscope.session/1", "name": "bench",
            "backend": {{"type": "simulated", "preset": "vicuna-7b-a100"}},
            "workload": {{"source": {{"type": "file", "path": "{}"}}}},
            "strategies": [
                {{"name": "vanilla", "batching": {{"type": "static", "rows": 8}}}},
                {{"name": "sorted", "predictor": {{"type": "oracle"}}, "ordering": {{"type": "sjf"}},
                  "batching": {{"type": "grouped", "group": 32, "rows": 8}}}}]}})",
                                              requests));
        return sessions::readSession(path, app::fullRegistry());
    }

private:
    QTemporaryDir m_folder;
};

inline app::BuiltWorkload build(const sessions::SessionDocument& document)
{
    return app::buildWorkload(document, app::fullRegistry(), nullptr, "none", {});
}

} // namespace batchscope::tests
