// SPDX-License-Identifier: GPL-3.0-or-later
// Where sessions lie: open, save, the draft that survives a crash, the files opened lately.
#pragma once

#include "sessions/session_document.h"

#include <QStringList>
#include <filesystem>
#include <optional>

namespace batchscope::window {

class SessionFiles
{
public:
    explicit SessionFiles(std::filesystem::path data_dir); // where the draft lies

    std::filesystem::path draftFile() const { return m_data_dir / "draft.session.json"; }
    // Keeps the document as the draft; its paths are made absolute, for the draft lies elsewhere.
    void keepDraft(sessions::SessionDocument document) const; // throws DocumentError
    void dropDraft() const;
    bool hasDraft() const;

    static QStringList recent(); // newest first, at most ten
    static void remember(const std::filesystem::path& file);

private:
    std::filesystem::path m_data_dir;
};

// What a dropped file is. A data set has no times (conversations, predictions), a trace has.
enum class DropKind { Session, Requests, DataSet, Trace, ModelFolder, Unknown };
DropKind kindOfDrop(const std::filesystem::path& file);

} // namespace batchscope::window
