// SPDX-License-Identifier: GPL-3.0-or-later
// The request under the cursor: its prompt, its answer as it comes, all its times.
#pragma once

#include "widgets/look/panel.h"
#include "widgets/models/run_data.h"
#include "widgets/models/shared_selection.h"
#include "widgets/panels/request_text.h"

#include <vector>

class QStackedWidget;
class QTextBrowser;

namespace batchscope::widgets {

class RequestPanel : public PanelBody
{
    Q_OBJECT

public:
    explicit RequestPanel(SharedSelection& selection, QWidget* parent = nullptr);
    void setRun(const RunData* run);
    void setDecoder(Decoder decoder) { m_decoder = std::move(decoder); }
    void refresh();

private:
    QString conversation(RequestIndex request) const;
    void tellTimes(const RequestFigures* figures);
    SharedSelection& m_selection;
    QStackedWidget* m_stack;
    QTextBrowser* m_text;
    std::vector<QLabel*> m_values;
    const RunData* m_run = nullptr;
    Decoder m_decoder;
    QString m_shown;
};

} // namespace batchscope::widgets
