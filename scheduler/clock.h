// SPDX-License-Identifier: GPL-3.0-or-later
// The run's clock. The loop alone owns time; pause stops the clock and so shifts later arrivals.
#pragma once

#include "scheduler/time.h"

#include <chrono>
#include <stop_token>

namespace batchscope {

class Clock
{
public:
    virtual ~Clock() = default;
    virtual bool isVirtual() const = 0;
    virtual Nanos now() const = 0;   // from the run's start
    virtual Picos nowPs() const = 0; // exact on a virtual clock; now() * 1000 on the wall clock
    virtual void advancePs(Picos duration) = 0; // virtual: moves; wall: nothing (time passed by itself)
    // Virtual: jumps there at once. Wall: sleeps, in slices so that a stop is honoured within 5 ms.
    virtual void waitUntil(Nanos at_ns, const std::stop_token& stop) = 0;
    virtual void pause() = 0;
    virtual void resume() = 0;
};

class VirtualClock final : public Clock
{
public:
    bool isVirtual() const override { return true; }
    Nanos now() const override { return m_now_ps / k_picos_per_nano; }
    Picos nowPs() const override { return m_now_ps; }
    void advancePs(Picos duration) override { m_now_ps += duration; }
    void waitUntil(Nanos at_ns, const std::stop_token& stop) override;
    void pause() override {}
    void resume() override {}

private:
    Picos m_now_ps = 0;
};

class WallClock final : public Clock
{
public:
    WallClock();
    bool isVirtual() const override { return false; }
    Nanos now() const override;
    Picos nowPs() const override { return now() * k_picos_per_nano; }
    void advancePs(Picos) override {}
    void waitUntil(Nanos at_ns, const std::stop_token& stop) override;
    void pause() override;
    void resume() override;

private:
    std::chrono::steady_clock::time_point m_start;
    std::chrono::steady_clock::duration m_paused{};
    std::chrono::steady_clock::time_point m_paused_at{};
    bool m_is_paused = false;
};

} // namespace batchscope
