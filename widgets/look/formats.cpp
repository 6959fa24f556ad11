// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/formats.h"

#include <QCoreApplication>
#include <QLocale>
#include <array>
#include <cmath>

namespace batchscope::widgets {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Formats", text);
}

} // namespace

QString none()
{
    return QStringLiteral("—");
}

QString number(double value, int decimals)
{
    return QLocale(QLocale::English).toString(value, 'f', decimals);
}

QString count(std::int64_t value)
{
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(value));
}

QString counted(std::int64_t n, const QString& one, const QString& many)
{
    return n == 1 ? one : many.arg(count(n));
}

QString seconds(std::optional<double> value, int decimals)
{
    return value ? tr("%1 s").arg(number(*value, decimals)) : none();
}

QString duration(double value)
{
    if (value < 100) return tr("%1 s").arg(number(value, value < 10 ? 1 : 0));
    const auto whole = static_cast<std::int64_t>(std::llround(value));
    return tr("%1 min %2 s").arg(count(whole / 60)).arg(whole % 60, 2, 10, QLatin1Char('0'));
}

QString milliseconds(std::optional<double> value)
{
    return value ? tr("%1 ms").arg(number(*value * 1e3, 1)) : none();
}

QString percent(std::optional<double> share, int decimals)
{
    return share ? tr("%1 %").arg(number(*share * 100, decimals)) : none();
}

QString bytes(std::int64_t value)
{
    constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
    double scaled = static_cast<double>(value);
    std::size_t unit = 0;
    while (std::abs(scaled) >= 1000 && unit + 1 < units.size()) {
        scaled /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 || scaled >= 100 ? 0 : 1;
    return number(scaled, decimals) + QLatin1Char(' ') + QLatin1String(units[unit]);
}

QString requestName(std::uint32_t index)
{
    return QLatin1Char('r') + QString::number(index);
}

} // namespace batchscope::widgets
