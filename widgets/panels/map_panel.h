// SPDX-License-Identifier: GPL-3.0-or-later
// The padding map with its legend, the shares in words and the tip under the cursor.
#pragma once

#include "widgets/look/panel.h"
#include "widgets/models/run_data.h"
#include "widgets/models/shared_selection.h"
#include "widgets/panels/request_text.h"

class QStackedWidget;

namespace batchscope::widgets {

class PaddingMapView;

class MapPanel : public PanelBody
{
    Q_OBJECT

public:
    explicit MapPanel(SharedSelection& selection, QWidget* parent = nullptr);
    void setRun(const RunData* run, const RunData* reference); // nullptr: the empty view
    void setDecoder(Decoder decoder) { m_decoder = std::move(decoder); }
    void refresh();             // one frame
    QString sharesText() const; // what the row under the map says
    PaddingMapView& view() { return *m_view; }

private:
    void showTip(const PaddingPiece* piece, const QPoint& at);
    QString tipHtml(const PaddingPiece& piece) const;
    void tellShares();
    void tellNote();
    SharedSelection& m_selection;
    PaddingMapView* m_view;
    QStackedWidget* m_stack;
    QLabel *m_useful, *m_padding, *m_abandoned, *m_aside, *m_tip;
    const RunData* m_run = nullptr;
    const RunData* m_reference = nullptr;
    Decoder m_decoder;
};

} // namespace batchscope::widgets
