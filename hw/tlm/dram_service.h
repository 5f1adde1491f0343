// SPDX-License-Identifier: Apache-2.0
//
// The DRAM as the other blocks call it. Over TLM sockets the same goes as payloads: DramSocket makes them of
// calls (dram_socket.h), and the DRAM's target sockets calls of payloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fw/hal/types.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

/// How long an access takes, counted from the instant for which it was asked.
struct DramTimes {
    Ps wait{0};      ///< until the DRAM begins to serve it
    Ps transfer{0};  ///< row activation and burst
    Ps queued{0};    ///< of the wait, until it was granted

    [[nodiscard]] Ps sum() const { return wait + transfer; }
};

class DramClient {
  public:
    /// Access `id`, which had to wait, is being served: its last data move at `end`.
    virtual void dram_granted(std::uint64_t id, Ps end, const DramTimes& times) = 0;

  protected:
    ~DramClient() = default;
};

struct DramRequest {
    bool write = false;
    hal::DramAddress address;
    std::uint32_t bytes = 0;
    std::byte* content = nullptr;  ///< of these bytes (extensions.h); null: none moves
    DramClient* client = nullptr;  ///< null: it never waits
    std::uint64_t id = 0;          ///< the client's own
};

/// A port of the DRAM.
class DramService {
  public:
    /// At a queued port `at` is now: how long the access takes, or nothing when it has to wait for others;
    /// then its client is told. The core's port answers every access at once; `at` may lie ahead.
    virtual std::optional<DramTimes> access(const DramRequest& request, Ps at) = 0;

  protected:
    ~DramService() = default;
};

}  // namespace solidtlm::hw
