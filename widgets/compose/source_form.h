// SPDX-License-Identifier: GPL-3.0-or-later
// Where requests come from: the demo prompts, a file read as requests, conversations or a trace, or
// distributions; how many of them, and by which seed.
#pragma once

#include "widgets/compose/facts.h"
#include "widgets/compose/workload_form.h"

class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;

namespace batchscope::widgets {

class DistributionField;

class SourceForm : public WorkloadForm
{
    Q_OBJECT

public:
    SourceForm(SessionEditor& editor, QWidget* parent);
    // What the reader of files knows, and what it proposed for the file in hand.
    void setFacts(const ImportFacts& facts);
    // Reads `file` as `type` from now on. What the workload says of another source is dropped.
    void useSource(const QString& type, const QString& file);

protected:
    void follow(const sessions::WorkloadSpec& workload) override;

private:
    void addFileFields();
    void addSyntheticFields();
    void bindFields();
    void chooseSource();
    QString askForFile(const QString& type);
    DistributionField* distributionField(const QString& title, const QString& help, const QString& none,
                                         double typical,
                                         std::optional<Distribution> sessions::SourceSpec::*member,
                                         const QString& what, const QString& merge);
    void followFields(const sessions::SourceSpec& source);

    QComboBox *m_source, *m_format, *m_unit, *m_zero, *m_turns;
    QWidget* m_file_row;
    QLineEdit* m_file;
    QSpinBox *m_requests, *m_seed;
    QDoubleSpinBox* m_speed;
    struct Drawn
    {
        DistributionField* field;
        std::optional<Distribution> sessions::SourceSpec::*member;
    };
    std::vector<Drawn> m_drawn;
};

} // namespace batchscope::widgets
