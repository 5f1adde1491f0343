// SPDX-License-Identifier: Apache-2.0
//
// What the flash controller has to do, and when.
#pragma once

#include <cstdint>

#include "hw/nand/flash_request.h"
#include "hw/tlm/agenda_module.h"

namespace solidtlm::hw {

enum class WakeKind : std::uint8_t {
    arrival,   ///< an operation from the core
    ready,     ///< R/B# rises
    pausing,   ///< a suspend command has reached its die
    encoded,   ///< program data is ready for the bus
    decoded,   ///< read data has left ECC
    dram,      ///< DRAM accesses are done
    finished,  ///< end of the status poll
    die_free,  ///< a die for which an operation waits becomes free
    bus_free,  ///< so does the bus
};

struct Wake {
    WakeKind kind = WakeKind::bus_free;
    std::uint32_t index = 0;  ///< of the request in its pool; of die_free that of the die
    std::uint32_t token = 0;  ///< the request's
};

/// Entries of the controller's agenda that carry a Wake.
class FlashAgenda {
  public:
    /// `call` is a member `void wake(std::uint64_t)` of the controller; see unpack().
    template <class Controller, auto kMember>
    FlashAgenda(Controller& controller, CallOf<kMember> call)
        : controller_(controller), call_(call.function()), object_(&controller) {}

    void push(Ps at, WakeKind kind, const FlashRequest& request) {
        push(at, Wake{kind, request.index, request.token});
    }
    void push_die_free(Ps at, std::size_t die) {
        push(at, Wake{WakeKind::die_free, static_cast<std::uint32_t>(die), 0});
    }
    void push_bus_free(Ps at) { push(at, Wake{WakeKind::bus_free, 0, 0}); }

    [[nodiscard]] static Wake unpack(std::uint64_t word) {
        return {static_cast<WakeKind>(word & 0xff),
                static_cast<std::uint32_t>(word >> kIndexShift & kIndexMask),
                static_cast<std::uint32_t>(word >> kTokenShift)};
    }

  private:
    static constexpr unsigned kIndexShift = 8;
    static constexpr unsigned kTokenShift = 32;
    static constexpr std::uint64_t kIndexMask = 0xff'ffff;
    static_assert(hal::kMostFlashOperations <= kIndexMask);

    void push(Ps at, const Wake& wake) {
        controller_.push(at, call_, object_,
                         static_cast<std::uint64_t>(wake.kind) | std::uint64_t{wake.index} << kIndexShift |
                             std::uint64_t{wake.token} << kTokenShift);
    }

    AgendaModule& controller_;
    Agenda::Call call_;
    void* object_;
};

}  // namespace solidtlm::hw
