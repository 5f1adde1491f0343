// SPDX-License-Identifier: Apache-2.0
//
// Counts the notifications that the model asks the SystemC kernel for, by event, without a line in the model:
// the linker (--wrap, see CMakeLists.txt) turns every call of sc_event::notify(const sc_time&) into a call of
// ours. Every timed and every delta notification of the model goes through that function; its processes wait
// for events only (no wait(sc_time), no next_trigger(sc_time)), and channels of SystemC itself are not used.
//
// Counting is off by default; then a notification costs one predictable branch more, in the model and in the
// bare event it is compared with alike. Speed is never measured while counting: the counting run is another
// one, with the same seed and therefore with the same notifications.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace solidtlm::testbench {

struct NotificationCount {
    std::uint64_t timed = 0;  ///< for a later instant
    std::uint64_t delta = 0;  ///< for the next delta cycle (SC_ZERO_TIME)

    NotificationCount& operator+=(const NotificationCount& other) {
        timed += other.timed;
        delta += other.delta;
        return *this;
    }
    bool operator==(const NotificationCount&) const = default;
};

/// Starts counting, from nothing.
void count_notifications();

/// What was counted so far, by the event's hierarchical name with every number replaced by `*`
/// ("ssd.channel_*.controller.agenda"). The events counted must still exist.
[[nodiscard]] std::map<std::string, NotificationCount> counted_notifications();

}  // namespace solidtlm::testbench
