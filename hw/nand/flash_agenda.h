// SPDX-License-Identifier: Apache-2.0
//
// What the flash controller has to do, and when.
#pragma once

#include <cstdint>

#include "hw/nand/flash_request.h"
#include "hw/tlm/timed_queue.h"

namespace solidtlm::hw {

enum class WakeKind : std::uint8_t {
    arrival,     ///< an operation from the core
    ready,       ///< R/B# rises
    array_done,  ///< ARDY rises (cache operations)
    pausing,     ///< a suspend command has reached its die
    encoded,     ///< program data is ready for the bus
    decoded,     ///< read data has left ECC
    dram,        ///< DRAM accesses are done
    finished,    ///< end of the status poll
    drained,     ///< the cache register is empty
    die_free,    ///< a die becomes free and somebody waits
    bus_free,    ///< the bus does
};

struct Wake {
    WakeKind kind = WakeKind::bus_free;
    std::uint32_t token = 0;          ///< the request's; of die_free the index of the die
    FlashRequest* request = nullptr;  ///< null: die_free and bus_free
};

class FlashAgenda {
  public:
    explicit FlashAgenda(const char* event_name) : queue_(event_name, 4 * hal::kMostFlashOperations) {}

    [[nodiscard]] const sc_core::sc_event& due_event() const { return queue_.due_event(); }
    void push(Ps at, WakeKind kind, FlashRequest& request) {
        queue_.push(at, Wake{kind, request.token, &request});
    }
    void push_die_free(Ps at, std::size_t die) {
        queue_.push(at, Wake{WakeKind::die_free, static_cast<std::uint32_t>(die), nullptr});
    }
    void push_bus_free(Ps at) { queue_.push(at, Wake{WakeKind::bus_free, 0, nullptr}); }
    /// The next one that is due and not void. False: none; the event is then notified for the one after.
    bool pop_due(Wake& wake) {
        while (queue_.pop_due(wake)) {
            if (wake.request == nullptr || wake.request->token == wake.token) {
                return true;
            }
        }
        return false;
    }

  private:
    TimedQueue<Wake> queue_;
};

}  // namespace solidtlm::hw
