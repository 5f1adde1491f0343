// SPDX-License-Identifier: Apache-2.0
#include "platform/flash_times.h"

#include <numeric>

#include "hw/nand/timing.h"

namespace solidtlm::platform {

fw::FlashTimes flash_times(const Configuration& configuration) {
    const hw::NandConfig& nand = configuration.nand;
    const auto mean = [](const std::vector<hal::Ps>& times) {
        return std::accumulate(times.begin(), times.end(), hal::Ps{0}) /
               static_cast<std::int64_t>(times.size());
    };
    const hw::BusTiming timing = hw::make_bus_timing(nand.bus);
    fw::FlashTimes times;
    const bool slc = configuration.firmware.flash.slc_areas();  // the map area
    times.read = slc ? nand.slc.read : mean(nand.timing.read);
    times.program = slc ? nand.slc.program : mean(nand.timing.program);
    times.read_byte_fs = timing.byte_out_fs;
    times.write_byte_fs = timing.byte_in_fs;
    const bool ecc = nand.ecc.codeword_bytes != 0;
    times.codeword_bytes = ecc ? nand.ecc.codeword_bytes : hal::kSectorBytes;
    times.codeword_bus_bytes = times.codeword_bytes + (ecc ? nand.ecc.parity_bytes : 0);
    return times;
}

}  // namespace solidtlm::platform
