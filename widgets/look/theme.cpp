// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/theme.h"

#include "widgets/look/style_sheet.h"

#include <QApplication>
#include <QFontDatabase>
#include <QStyleFactory>
#include <QToolTip>
#include <cmath>

// Resources of a static library are registered by hand; the macro wants the global namespace.
static void registerIcons()
{
    Q_INIT_RESOURCE(look_icons);
}

namespace batchscope::widgets {
namespace {

constexpr QColor rgb(unsigned value)
{
    return QColor(static_cast<int>(value >> 16 & 0xff), static_cast<int>(value >> 8 & 0xff),
                  static_cast<int>(value & 0xff));
}

// Fills of the kinds are Okabe-Ito colours: dark, light and middle, so that they stay apart in grey.
const Tokens k_light{.window = rgb(0xf4f6f8),
                     .panel = rgb(0xffffff),
                     .field = rgb(0xf6f8fa),
                     .border = rgb(0xdde2e8),
                     .grid = rgb(0xe9edf1),
                     .text = rgb(0x191d22),
                     .muted = rgb(0x5d6773),
                     .accent = rgb(0x2460a7),
                     .on_accent = rgb(0xffffff),
                     .accent_soft = rgb(0xe7eff9),
                     .selection = rgb(0xdbe8f7),
                     .chip = rgb(0xecf0f3),
                     .hover = rgb(0xf0f3f6),
                     .good = rgb(0x00704f),
                     .warn = rgb(0xab4300),
                     .useful = rgb(0x0072b2),
                     .padding = rgb(0xe69f00),
                     .abandoned = rgb(0xd55e00),
                     .prompt = rgb(0x56b4e9),
                     .end = rgb(0x00503c),
                     .stalled = rgb(0x9aa3ad),
                     .useful_text = rgb(0x0069a6),
                     .padding_text = rgb(0x855900),
                     .abandoned_text = rgb(0xb04c00)};

const Tokens k_dark{.window = rgb(0x14171a),
                    .panel = rgb(0x1b1f24),
                    .field = rgb(0x14171a),
                    .border = rgb(0x2f363e),
                    .grid = rgb(0x282e35),
                    .text = rgb(0xe8ebee),
                    .muted = rgb(0x9ba5b0),
                    .accent = rgb(0x6ea8ec),
                    .on_accent = rgb(0x10151b),
                    .accent_soft = rgb(0x20303f),
                    .selection = rgb(0x24364a),
                    .chip = rgb(0x272d34),
                    .hover = rgb(0x232930),
                    .good = rgb(0x3cc79a),
                    .warn = rgb(0xf0894f),
                    .useful = rgb(0x2b86c5),
                    .padding = rgb(0xe6a42e),
                    .abandoned = rgb(0xe8743b),
                    .prompt = rgb(0x2f6f9f),
                    .end = rgb(0x9fe3cb),
                    .stalled = rgb(0x6d7782),
                    .useful_text = rgb(0x55abe8),
                    .padding_text = rgb(0xe6a42e),
                    .abandoned_text = rgb(0xf08850)};

double linear(double channel)
{
    return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

QPalette makePalette(const Tokens& t)
{
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, const QColor& color) {
        palette.setColor(QPalette::All, role, color);
    };
    set(QPalette::Window, t.window);
    set(QPalette::WindowText, t.text);
    set(QPalette::Base, t.panel);
    set(QPalette::AlternateBase, t.field);
    set(QPalette::Text, t.text);
    set(QPalette::Button, t.panel);
    set(QPalette::ButtonText, t.text);
    set(QPalette::BrightText, t.on_accent);
    set(QPalette::ToolTipBase, t.panel);
    set(QPalette::ToolTipText, t.text);
    set(QPalette::PlaceholderText, t.muted);
    set(QPalette::Highlight, t.selection);
    set(QPalette::HighlightedText, t.text);
    set(QPalette::Link, t.accent);
    set(QPalette::Light, t.panel);
    set(QPalette::Midlight, t.border);
    set(QPalette::Mid, t.border);
    set(QPalette::Dark, t.border);
    set(QPalette::Shadow, t.border);
    palette.setColor(QPalette::Disabled, QPalette::Text, t.muted);
    palette.setColor(QPalette::Disabled, QPalette::ButtonText, t.muted);
    palette.setColor(QPalette::Disabled, QPalette::WindowText, t.muted);
    return palette;
}

} // namespace

const Tokens& tokens(Theme theme)
{
    return theme == Theme::Dark ? k_dark : k_light;
}

Theme themeOf(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? Theme::Dark : Theme::Light;
}

Theme systemTheme()
{
    static const Theme theme = themeOf(QApplication::palette());
    return theme;
}

Theme currentTheme()
{
    return themeOf(QApplication::palette());
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QFont smallerFont(QFont font)
{
    font.setPointSizeF(font.pointSizeF() - 1);
    return font;
}

QFont strongFont(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

void applyTheme(QApplication& application, Theme theme)
{
    registerIcons();
    application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QFont font = application.font();
    if (QFontDatabase::hasFamily(QStringLiteral("Inter"))) font.setFamily(QStringLiteral("Inter"));
    font.setPointSizeF(9.75); // 13 logical pixels at 96 dpi
    application.setFont(font);
    const QPalette palette = makePalette(tokens(theme));
    application.setPalette(palette);
    QToolTip::setPalette(palette);
    application.setStyleSheet(styleSheet(tokens(theme)));
}

} // namespace batchscope::widgets
