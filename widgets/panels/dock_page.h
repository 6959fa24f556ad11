// SPDX-License-Identifier: GPL-3.0-or-later
// A page of docks around a centre. Docks have stable names; a layout is kept by version and refused when it
// does not fit, and the built-in one is always there again through resetLayout().
#pragma once

#include <QMainWindow>
#include <vector>

class QDockWidget;

namespace batchscope::widgets {

class PanelBody;

class DockPage : public QMainWindow
{
    Q_OBJECT

public:
    explicit DockPage(const QString& name, QWidget* parent = nullptr);
    void setCentre(QWidget* centre);
    // `extent`: width of a dock at the sides, height of one below.
    QDockWidget* addPanel(PanelBody* body, const QString& name, Qt::DockWidgetArea area, int extent);
    void placeBelow(QDockWidget* upper, int upper_height, QDockWidget* lower);
    const std::vector<QDockWidget*>& docks() const { return m_docks; }

    QByteArray layoutState() const;
    bool
    setLayoutState(const QByteArray& state); // false: not ours or another version; the built-in layout stays
    void resetLayout();

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Place
    {
        QDockWidget* dock;
        Qt::DockWidgetArea area;
        int extent;
        QDockWidget* above; // split under this one, whose height is `extent`
    };
    void giveExtents();
    std::vector<QDockWidget*> m_docks;
    std::vector<Place> m_places;
    bool m_restored = false, m_placed = false;
};

} // namespace batchscope::widgets
