// SPDX-License-Identifier: Apache-2.0
//
// What lies where in the DRAM buffer.
#pragma once

#include <cstdint>

#include "fw/media/layout.h"

namespace solidtlm::fw {

using hal::DramAddress;

struct DramMap {
    DramAddress map_table;     ///< 4 bytes a mapping unit
    DramAddress read_windows;  ///< two segments for each of kCommandSlots commands
    DramAddress gc_buffers;    ///< gc.pipeline_depth superpages for each parallel unit
    DramAddress write_buffer;
    std::uint64_t end = 0;  ///< bytes needed in all

    static constexpr std::uint32_t kCommandSlots = 33;  ///< 32 NCQ tags and the non-queued command

    DramMap(const FirmwareConfig& config, const MediaLayout& layout) {
        std::uint64_t next = 0;
        const auto reserve = [&next](std::uint64_t bytes) {
            const DramAddress at{next};
            next += (bytes + kAlignment - 1) / kAlignment * kAlignment;
            return at;
        };
        map_table = reserve(std::uint64_t{layout.exported_units()} * 4);
        read_windows = reserve(std::uint64_t{kCommandSlots} * 2 * config.read_segment_bytes);
        gc_buffers = reserve(std::uint64_t{layout.pus()} * config.gc.pipeline_depth *
                             layout.units_per_superpage() * config.unit_bytes);
        write_buffer = reserve(config.write_buffer.size_bytes);
        end = next;
    }

  private:
    static constexpr std::uint64_t kAlignment = 4096;
};

}  // namespace solidtlm::fw
