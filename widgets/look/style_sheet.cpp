// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/style_sheet.h"

#include <array>
#include <utility>

namespace batchscope::widgets {
namespace {

// @name is replaced by the token's colour.
const char* const k_sheet = R"(
QMainWindow, QDialog { background: @window; }
QMainWindow::separator { background: transparent; width: 8px; height: 8px; }
QMainWindow::separator:hover { background: @accent_soft; }
QMenuBar { background: @panel; border-bottom: 1px solid @border; padding: 2px 4px; }
QMenuBar::item { padding: 4px 8px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @chip; }
QMenu { background: @panel; border: 1px solid @border; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @accent_soft; color: @text; }
QMenu::item:disabled { color: @muted; }
QMenu::separator { height: 1px; background: @border; margin: 4px 8px; }
QToolTip { background: @panel; color: @text; border: 1px solid @border; padding: 6px 8px; }

QFrame#topBar { background: @panel; border: none; border-bottom: 1px solid @border; }
QFrame#rail { background: @panel; border: none; border-right: 1px solid @border; }
QStatusBar { background: @panel; border-top: 1px solid @border; }
QStatusBar::item { border: none; }
QLabel#sessionName { font-weight: 600; }
QLabel#headline { font-weight: 600; font-size: 12pt; }
QLabel[muted="true"] { color: @muted; }
QLabel[strong="true"] { font-weight: 600; }
QLabel[warn="true"] { color: @warn; }
QLabel[good="true"] { color: @good; font-weight: 600; }

QFrame#panelHead { background: @panel; border: 1px solid @border; border-bottom: 1px solid @grid;
                   border-top-left-radius: 6px; border-top-right-radius: 6px; }
QFrame#panelBody { background: @panel; border: 1px solid @border; border-top: none;
                   border-bottom-left-radius: 6px; border-bottom-right-radius: 6px; }
QFrame#section { background: @panel; border: none; border-top: 1px solid @grid; }
QFrame#line { background: @grid; border: none; }
QFrame#card { background: @panel; border: 1px solid @border; border-radius: 6px; }
QFrame#card[refused="true"] { border: 1px solid @warn; }
QFrame#popup { background: @panel; border: 1px solid @border; border-radius: 6px; }
QFrame#notice { background: @accent_soft; border: 1px solid @border; border-radius: 6px; }
QFrame#notice[warn="true"] { border: 1px solid @warn; }
QFrame#plotTip { background: @panel; border: 1px solid @border; border-radius: 6px; }

QPushButton, QToolButton#bar { background: @panel; border: 1px solid @border; border-radius: 4px; padding: 5px 12px;
              color: @text; }
QPushButton:hover, QToolButton#bar:hover { background: @hover; }
QPushButton:focus, QToolButton#bar:focus { border-color: @accent; }
QPushButton:pressed, QToolButton#bar:pressed { background: @chip; }
QPushButton:disabled, QToolButton#bar:disabled { color: @muted; background: @window; }
QPushButton#primary { background: @accent; color: @on_accent; border: 1px solid @accent; font-weight: 600; }
QPushButton#primary:hover { background: @accent; border-color: @text; }
QPushButton#primary:disabled { background: @chip; color: @muted; border-color: @border; font-weight: 400; }
QToolButton#flat { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 2px 6px; }
QToolButton#flat:hover { background: @chip; }
QToolButton#flat:focus { border-color: @accent; }
QToolButton#flat::menu-indicator { image: none; width: 0; }
QToolButton#link { background: transparent; border: 1px solid transparent; color: @accent; padding: 2px 6px;
                   border-radius: 4px; }
QToolButton#link:hover { background: @accent_soft; }
QToolButton#link:focus { border-color: @accent; }
QToolButton#link:disabled { color: @muted; }

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit { background: @field; border: 1px solid @border;
    border-radius: 4px; padding: 4px 7px; color: @text; selection-background-color: @selection;
    selection-color: @text; }
QSpinBox, QDoubleSpinBox { padding-right: 18px; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: @accent; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled { color: @muted;
    background: @window; }
QLineEdit#cardName { background: transparent; border: 1px solid transparent; font-weight: 600; padding: 2px 4px; }
QLineEdit#cardName:hover, QLineEdit#cardName:focus { border-color: @border; background: @field; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(@icons/down.svg); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @panel; border: 1px solid @border; outline: none; padding: 2px;
    selection-background-color: @accent_soft; selection-color: @text; }
QSpinBox::up-button, QDoubleSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::down-button {
    border: none; background: transparent; width: 16px; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url(@icons/up.svg); width: 8px; height: 8px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url(@icons/down.svg); width: 8px; height: 8px; }
QCheckBox { spacing: 6px; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid @muted; border-radius: 3px; background: @field; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox::indicator:checked { border-color: @accent; background: @accent; image: url(@icons/check.svg); }
QCheckBox::indicator:disabled { border-color: @border; background: @window; }

QTableView, QListView, QTreeView { background: @panel; border: none; outline: none; gridline-color: @grid;
    alternate-background-color: @panel; selection-background-color: @accent_soft; selection-color: @text; }
QTableView::item { border-bottom: 1px solid @grid; padding: 0 8px; }
QTableView::item:selected { background: @accent_soft; color: @text; }
QHeaderView { background: @panel; border: none; }
QHeaderView::section { background: @panel; color: @muted; border: none; border-bottom: 1px solid @border;
    padding: 5px 8px; }
QTabBar::tab { background: transparent; color: @muted; padding: 5px 12px; border: 1px solid transparent;
    border-radius: 4px; margin-right: 4px; }
QTabBar::tab:selected { background: @panel; color: @text; border: 1px solid @border; }
QTabBar::tab:hover:!selected { background: @chip; }
QTabBar { qproperty-drawBase: 0; }
QScrollArea, QScrollArea > QWidget > QWidget#scrollBody { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @border; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 1px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { background: @chip; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QSplitter::handle { background: transparent; }
)";

} // namespace

QString styleSheet(const Tokens& t)
{
    // Longest names first where one begins another.
    const std::array<std::pair<const char*, QColor>, 16> names{{{"@accent_soft", t.accent_soft},
                                                                {"@on_accent", t.on_accent},
                                                                {"@selection", t.selection},
                                                                {"@abandoned", t.abandoned},
                                                                {"@window", t.window},
                                                                {"@border", t.border},
                                                                {"@accent", t.accent},
                                                                {"@panel", t.panel},
                                                                {"@field", t.field},
                                                                {"@muted", t.muted},
                                                                {"@hover", t.hover},
                                                                {"@grid", t.grid},
                                                                {"@text", t.text},
                                                                {"@chip", t.chip},
                                                                {"@warn", t.warn},
                                                                {"@good", t.good}}};
    QString sheet = QString::fromLatin1(k_sheet);
    sheet.replace(QLatin1String("@icons"), t.panel.lightness() < 128 ? QLatin1String(":/batchscope/dark")
                                                                     : QLatin1String(":/batchscope/light"));
    for (const auto& [name, color] : names)
        sheet.replace(QLatin1String(name), color.name());
    return sheet;
}

} // namespace batchscope::widgets
