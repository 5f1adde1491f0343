// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/arbitration/bus_arbiter.h"

namespace solidtlm::hw {
namespace {

/// Phases of reads before those of programs and erases. Within each, commands before data: a few cycles put
/// an array to work while the data of another die cross the bus. Then in order of asking.
class ReadFirstBus : public BusArbiter {
  public:
    std::size_t choose(std::span<const BusWaiter> waiters) override {
        std::size_t best = 0;
        for (std::size_t i = 1; i < waiters.size(); ++i) {
            if (rank(waiters[i]) < rank(waiters[best])) {
                best = i;
            }
        }
        return best;
    }

  private:
    static int rank(const BusWaiter& waiter) { return (waiter.read ? 0 : 2) + (waiter.data ? 1 : 0); }
};

}  // namespace

extern const BusArbitration kReadFirstBusArbitration{
    {"read_first", "phases of reads first; within reads and within the others, commands before data"},
    []() -> std::unique_ptr<BusArbiter> { return std::make_unique<ReadFirstBus>(); }};

}  // namespace solidtlm::hw
