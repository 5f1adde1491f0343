// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous Event Requests that wait for an event. Events of one type are reported once, until the host
// has read the log page that tells more. An event that no request waits for is dropped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/nvme/entries.h"

namespace solidtlm::hw::nvme {

/// Error status (type 0), which log page 01h explains.
enum class ErrorEvent : std::uint8_t { invalid_doorbell_register = 0, invalid_doorbell_value = 1 };

class Events {
  public:
    static constexpr std::size_t kMostRequests = 4;  ///< AERL + 1

    /// False: too many requests wait already.
    [[nodiscard]] bool park(std::uint16_t slot);
    /// The slot that answers, whose result becomes `result`; none: nothing waits or the type is masked.
    [[nodiscard]] std::optional<std::uint16_t> raise(ErrorEvent event, Word& result);
    /// Takes a request back. False: that slot does not wait.
    bool withdraw(std::uint16_t slot);
    /// The host has read log page 01h.
    void error_log_read() { masked_ = false; }
    void reset() { *this = Events{}; }

  private:
    std::array<std::uint16_t, kMostRequests> parked_{};
    std::size_t count_ = 0;
    bool masked_ = false;
};

}  // namespace solidtlm::hw::nvme
