// SPDX-License-Identifier: GPL-3.0-or-later
// --screenshots: waits until the run has ended, writes one PNG a perspective and ends the program with the
// run's code.
#pragma once

#include <QObject>
#include <filesystem>
#include <string>

namespace batchscope::window {

class MainWindow;

// Why no picture could be written into `folder`, which is made where it is absent; empty: they can. Asked
// before the run: nobody should wait for one whose pictures are lost.
std::string screenshotsFault(const std::filesystem::path& folder);

class ScreenshotTaker : public QObject
{
    Q_OBJECT

public:
    ScreenshotTaker(MainWindow& window, std::filesystem::path folder, bool after_run,
                    QObject* parent = nullptr);

Q_SIGNALS:
    void done(int exit_code);

private:
    void proceed(); // whenever the window has settled
    void take();
    bool shootTrials();
    bool shoot(const QString& name);
    MainWindow& m_window;
    std::filesystem::path m_folder;
    bool m_wait_for_run, m_taken = false;
    int m_exit_code = 0;
};

} // namespace batchscope::window
