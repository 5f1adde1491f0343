// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/arbitration/bus_arbiter.h"

#include <systemc>

#include "hw/nand/arbitration/fcfs.h"
#include "hw/nand/arbitration/read_first.h"
#include "hw/nand/arbitration/round_robin.h"

namespace solidtlm::hw {

std::unique_ptr<BusArbiter> make_bus_arbiter(BusArbitration policy) {
    switch (policy) {
        case BusArbitration::fcfs:
            return std::make_unique<Fcfs>();
        case BusArbitration::round_robin:
            return std::make_unique<RoundRobin>();
        case BusArbitration::read_first:
            return std::make_unique<ReadFirst>();
    }
    SC_REPORT_FATAL("/ssd/nand", "unknown bus arbitration");
    return nullptr;
}

}  // namespace solidtlm::hw
