// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/dock_page.h"

#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QDockWidget>
#include <QShowEvent>
#include <algorithm>

namespace batchscope::widgets {
namespace {

constexpr int k_layout_version = 2; // one more whenever a page gets or loses a dock

} // namespace

DockPage::DockPage(const QString& name, QWidget* parent) : QMainWindow(parent)
{
    setWindowFlags(Qt::Widget); // QMainWindow makes itself a window whatever it is told
    setObjectName(name);
    setDockNestingEnabled(true);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setContentsMargins(k_gap_m, k_gap_m, k_gap_m, k_gap_m);
    setAttribute(Qt::WA_StyledBackground, false);
}

void DockPage::setCentre(QWidget* centre)
{
    setCentralWidget(centre);
}

QDockWidget* DockPage::addPanel(PanelBody* body, const QString& name, Qt::DockWidgetArea area, int extent)
{
    auto* dock = new QDockWidget(body->title(), this);
    dock->setObjectName(name);
    dock->setTitleBarWidget(new PanelHead(*body, dock));
    dock->setWidget(body);
    dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable |
                      QDockWidget::DockWidgetFloatable);
    connect(body, &PanelBody::headChanged, dock, [dock, body] { dock->setWindowTitle(body->title()); });
    addDockWidget(area, dock);
    m_docks.push_back(dock);
    m_places.push_back({dock, area, extent, nullptr});
    return dock;
}

void DockPage::placeBelow(QDockWidget* upper, int upper_height, QDockWidget* lower)
{
    splitDockWidget(upper, lower, Qt::Vertical);
    for (Place& place : m_places)
        if (place.dock == lower) {
            place.above = upper;
            place.extent = upper_height;
        }
}

QByteArray DockPage::layoutState() const
{
    return saveState(k_layout_version);
}

bool DockPage::setLayoutState(const QByteArray& state)
{
    m_restored = !state.isEmpty() && restoreState(state, k_layout_version);
    return m_restored;
}

void DockPage::resetLayout()
{
    m_restored = false;
    for (const Place& place : m_places) {
        place.dock->setFloating(false);
        removeDockWidget(place.dock);
    }
    for (const Place& place : m_places) {
        if (place.above)
            splitDockWidget(place.above, place.dock, Qt::Vertical);
        else
            addDockWidget(place.area, place.dock);
        place.dock->show();
    }
    giveExtents();
}

void DockPage::giveExtents()
{
    QList<QDockWidget*> across, down;
    QList<int> widths, heights;
    const auto add = [](QList<QDockWidget*>& docks, QList<int>& extents, QDockWidget* dock, int extent) {
        docks << dock;
        extents << extent;
    };
    for (const Place& place : m_places) {
        if (place.above) { // the pair shares its column
            add(down, heights, place.above, place.extent);
            add(down, heights, place.dock, std::max(160, height() - place.extent));
        } else if (place.area == Qt::BottomDockWidgetArea) {
            add(down, heights, place.dock, place.extent);
        } else {
            add(across, widths, place.dock, place.extent);
        }
    }
    resizeDocks(across, widths, Qt::Horizontal);
    resizeDocks(down, heights, Qt::Vertical);
}

void DockPage::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (!m_restored && !m_placed) giveExtents();
    m_placed = true;
}

void DockPage::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (!m_restored && !m_placed) giveExtents();
}

} // namespace batchscope::widgets
