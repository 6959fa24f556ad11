// SPDX-License-Identifier: GPL-3.0-or-later
// Files in a folder of their own, and what the importer makes of them.
#pragma once

#include "engine/data/import.h"

#include <QTemporaryDir>
#include <fstream>

namespace batchscope::tests {

struct Imported
{
    engine::ImportReport report;
    std::vector<engine::SourceRow> rows;
};

class ImportFolder
{
public:
    std::filesystem::path path(const std::string& name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    std::filesystem::path write(const std::string& content, const std::string& name = "file.txt") const
    {
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }
    Imported import(const std::string& content, const engine::ImportOptions& options = {}) const
    {
        Imported imported;
        imported.report = engine::importRows(write(content), options, [&](engine::SourceRow&& row) {
            imported.rows.push_back(std::move(row));
            return true;
        });
        const auto& report = imported.report;
        if (!options.all_turns &&
            report.rows != report.skipped + report.requests) // on every input of every test
            qFatal("%lld rows, %lld skipped, %lld requests", static_cast<long long>(report.rows),
                   static_cast<long long>(report.skipped), static_cast<long long>(report.requests));
        return imported;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace batchscope::tests
