// SPDX-License-Identifier: Apache-2.0
//
// The driver's side of a pair of queues: where its next entry goes, and which completion is new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace solidtlm::hw::nvme {

struct DriverPair {
    std::uint32_t entries = 0;  ///< of each queue
    std::uint32_t tail = 0;     ///< of the submission queue
    std::uint32_t head = 0;     ///< of the completion queue
    bool phase = true;          ///< phase bit of the next completion

    /// An entry was put at the tail. REQUIRES: entries > 0.
    void put() { tail = (tail + 1) % entries; }
    /// Takes the completion at the head if its phase bit marks it as new. REQUIRES: entries > 0.
    [[nodiscard]] bool take(std::span<const std::byte> completion) {
        if ((std::to_integer<unsigned>(completion[kPhaseByte]) & 1U) != (phase ? 1U : 0U)) {
            return false;
        }
        head = (head + 1) % entries;
        phase = phase != (head == 0);
        return true;
    }

  private:
    static constexpr std::size_t kPhaseByte = 14;
};

}  // namespace solidtlm::hw::nvme
