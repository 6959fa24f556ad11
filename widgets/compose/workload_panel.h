// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of the server: source, how many, arrivals, output lengths; below it what that gives.
#pragma once

#include "widgets/compose/facts.h"
#include "widgets/look/panel.h"
#include "widgets/models/session_editor.h"

namespace batchscope::widgets {

class HistogramView;
class SourceForm;

class WorkloadPanel : public PanelBody
{
    Q_OBJECT

public:
    explicit WorkloadPanel(SessionEditor& editor, QWidget* parent = nullptr);
    void setFacts(const WorkloadFacts& facts);
    SourceForm& source() { return *m_source; }

private:
    void showLengths(const WorkloadFacts& facts);
    void showArrivals(const WorkloadFacts& facts);
    void showImport(const WorkloadFacts& facts);

    SessionEditor& m_editor;
    SourceForm* m_source;
    QLabel *m_error, *m_load, *m_import;
    Section *m_output_section, *m_prompt_section, *m_arrival_section, *m_load_section, *m_import_section;
    HistogramView *m_prompts, *m_outputs, *m_arrival_times;
};

// What the offered load means, in a sentence; empty where nothing is known yet.
QString loadText(const WorkloadFacts& facts, const sessions::SessionDocument& document);
// What the importer made of the file, line by line.
QString importText(const WorkloadFacts& facts);

} // namespace batchscope::widgets
