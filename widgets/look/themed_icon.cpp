// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/themed_icon.h"

#include <QIconEngine>
#include <QPainter>
#include <QPixmap>

namespace batchscope::widgets {
namespace {

using Paint = std::function<void(QPainter&, const QRectF&, bool)>;

class ThemedEngine : public QIconEngine
{
public:
    explicit ThemedEngine(Paint paint) : m_paint(std::move(paint)) {}
    QIconEngine* clone() const override { return new ThemedEngine(m_paint); }
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        m_paint(*painter, rect, mode != QIcon::Disabled);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }

private:
    Paint m_paint;
};

} // namespace

QIcon themedIcon(Paint paint)
{
    return QIcon(new ThemedEngine(std::move(paint)));
}

} // namespace batchscope::widgets
