// SPDX-License-Identifier: Apache-2.0
//
// The interface through which the other blocks call the DRAM. TLM sockets carry these calls as payloads:
// DramSocket (dram_socket.h) turns calls into payloads, and the DRAM's target sockets turn payloads into
// calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "fw/hal/types.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

/// The times of an access, counted from the instant for which it was asked.
struct DramTimes {
    Ps wait{0};      ///< until the DRAM begins to serve it
    Ps transfer{0};  ///< row activation and burst

    [[nodiscard]] Ps sum() const { return wait + transfer; }
};

/// A block that accesses the DRAM.
class DramClient {
  public:
    /// The DRAM serves access `id`, which had to wait: its last data move at `end`.
    virtual void dram_granted(std::uint64_t id, Ps end, const DramTimes& times) = 0;

  protected:
    ~DramClient() = default;
};

/// A read or a write.
struct DramRequest {
    bool write = false;
    hal::DramAddress address;
    std::uint32_t bytes = 0;
    std::byte* content = nullptr;  ///< content of the range (extensions.h); null: no content moves
    DramClient* client = nullptr;  ///< null: the access never waits
    std::uint64_t id = 0;          ///< chosen by the client
    std::uint32_t count = 1;       ///< of the core: this many accesses, each after and next to the one before
};

/// The times of a request with a count, as the sum of its accesses, which `access(request, at)` makes.
template <class MakeAccess>
DramTimes one_by_one(DramRequest request, Ps at, MakeAccess access) {
    DramTimes sum;
    for (std::uint32_t left = std::exchange(request.count, 1); left > 0; --left) {
        const DramTimes times = access(request, at + sum.sum());
        sum.wait += times.wait;
        sum.transfer += times.transfer;
        request.address.value += request.bytes;
    }
    return sum;
}

/// A port of the DRAM.
class DramService {
  public:
    /// Asks for an access at `at`. A queued port returns how long it takes, or nothing if it has to wait for
    /// others; the DRAM calls the client when it serves the access. There `at` is now. The core's port
    /// answers every access at once; `at` may lie ahead.
    virtual std::optional<DramTimes> access(const DramRequest& request, Ps at) = 0;

  protected:
    ~DramService() = default;
};

}  // namespace solidtlm::hw
