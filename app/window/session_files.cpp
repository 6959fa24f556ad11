// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/session_files.h"

#include <QSettings>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace batchscope::window {
namespace {

namespace fs = std::filesystem;
constexpr int k_most_recent = 10;

const QString& recentKey()
{
    static const QString key = QStringLiteral("sessions/recent");
    return key;
}

} // namespace

SessionFiles::SessionFiles(fs::path data_dir) : m_data_dir(std::move(data_dir)) {}

void SessionFiles::keepDraft(sessions::SessionDocument document) const
{
    std::error_code error;
    fs::create_directories(m_data_dir, error); // a failure shows when the file is written
    auto& path = document.workload.source.path;
    if (!path.empty()) path = document.resolvePath(path).string();
    auto& model = document.backend.model;
    if (!model.empty() && model != "demo") model = document.resolvePath(model).string();
    sessions::writeSession(document, draftFile());
}

void SessionFiles::dropDraft() const
{
    std::error_code error;
    fs::remove(draftFile(), error); // absent already: just as well
}

bool SessionFiles::hasDraft() const
{
    std::error_code error;
    return fs::is_regular_file(draftFile(), error);
}

QStringList SessionFiles::recent()
{
    return QSettings().value(recentKey()).toStringList();
}

void SessionFiles::remember(const fs::path& file)
{
    QStringList files = recent();
    const QString name = QString::fromStdString(fs::absolute(file).string());
    files.removeAll(name);
    files.prepend(name);
    QSettings().setValue(recentKey(), QStringList(files.mid(0, k_most_recent)));
}

DropKind kindOfDrop(const fs::path& file)
{
    std::error_code error;
    if (fs::is_directory(file, error))
        return fs::exists(file / "config.json", error) ? DropKind::ModelFolder : DropKind::Unknown;
    const std::string suffix = file.extension().string();
    if (suffix == ".csv") return DropKind::Requests;
    if (suffix == ".jsonl") {
        std::ifstream stream(file);
        std::string line;
        std::getline(stream, line);
        const bool talks = line.find("\"conversations\"") != std::string::npos ||
                           line.find("\"instruction\"") != std::string::npos;
        return talks ? DropKind::Conversations : DropKind::Requests;
    }
    if (suffix != ".json") return DropKind::Unknown;
    std::ifstream stream(file);
    const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
    if (json.is_array()) return DropKind::Conversations;
    return json.is_object() && json.contains("schema") ? DropKind::Session : DropKind::Unknown;
}

} // namespace batchscope::window
