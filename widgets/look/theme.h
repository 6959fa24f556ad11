// SPDX-License-Identifier: GPL-3.0-or-later
// The one table of colours. Everything painted takes its colour from here; the theme in force is read from
// the application's palette, so that no view keeps a copy.
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

class QApplication;

namespace batchscope::widgets {

enum class Theme { Light, Dark };

struct Tokens
{
    QColor window, panel, field, border, grid;
    QColor text, muted;
    QColor accent, on_accent, accent_soft, selection;
    QColor chip, hover;
    QColor good, warn;                 // words and marks, never alone
    QColor useful, padding, abandoned; // kinds of slot-steps (fills) ...
    QColor prompt, end, stalled;
    QColor useful_text, padding_text, abandoned_text; // ... and the same as text: contrast >= 4.5 on panel
};

const Tokens& tokens(Theme theme);
Theme currentTheme();
inline const Tokens& tokens()
{
    return tokens(currentTheme());
}

// WCAG 2 contrast ratio, 1 ... 21.
double contrast(const QColor& a, const QColor& b);

// Steps of every margin and gap, in logical pixels.
inline constexpr int k_gap_s = 4, k_gap_m = 8, k_gap_l = 12, k_gap_xl = 16;

QFont smallerFont(QFont font); // of what stands beside or below the main thing
QFont strongFont(QFont font);  // of titles

// Style, palette, font and style sheet of the whole program.
void applyTheme(QApplication& application, Theme theme);
Theme themeOf(const QPalette& palette);
// The desktop's own, as it was when first asked for: ask before applyTheme().
Theme systemTheme();

} // namespace batchscope::widgets
