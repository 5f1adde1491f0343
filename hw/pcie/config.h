// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

/// Speed of a lane: 2.5 and 5 GT/s with 8b/10b, 8, 16 and 32 GT/s with 128b/130b.
enum class PcieGeneration : std::uint8_t { gen1 = 1, gen2, gen3, gen4, gen5 };

/// The part of the line's time that ACK and flow control DLLPs and SKP ordered sets take
/// (hw/pcie/tlp_timing.h).
enum class PcieDllps : std::uint8_t {
    guide,     ///< a pair after as many bytes as the standard's guide value has symbol times
    per_lane,  ///< as many bytes on each lane
    none,
};

/// A PCI Express link with the root at its other end.
struct PcieConfig {
    SOLIDTLM_KEYS(PcieConfig);
    static auto tlp_limit(auto& key) {
        return key.where(
            key.size(128, 4096), [](std::uint64_t bytes) { return std::has_single_bit(bytes); },
            "a power of two");
    }
    SOLIDTLM_KEY(PcieGeneration, generation, PcieGeneration::gen3,
                 key.enumerator({"gen1", "gen2", "gen3", "gen4", "gen5"}, PcieGeneration::gen1),
                 "2.5 and 5 GT/s with 8b/10b, 8, 16 and 32 GT/s with 128b/130b.");
    SOLIDTLM_KEY(std::uint32_t, lanes, 4,
                 key.where(
                     key.integer(1, 4), [](std::uint64_t count) { return count != 3; }, "not 3"),
                 "Lanes of the link.");
    SOLIDTLM_KEY(std::uint32_t, max_payload, 256, tlp_limit(key), "MPS: most data of a TLP.");
    SOLIDTLM_KEY(std::uint32_t, max_read_request, 512, tlp_limit(key),
                 "MRRS: most bytes that a read request asks for.");
    SOLIDTLM_KEY_AS("completion_size", std::uint32_t, completion_bytes, 0,
                    key.where(
                        key.size(0, 4096),
                        [](std::uint64_t bytes) {
                            return bytes == 0 || (bytes >= 64 && std::has_single_bit(bytes));
                        },
                        "0, or a power of two from 64 on"),
                    "Most data of a completion of the host's root, at most MPS and MRRS: roots of old answer "
                    "in pieces of "
                    "RCB, 64; 0: the most.");
    SOLIDTLM_KEY(bool, ecrc, false, key.boolean(), "End-to-end CRC: 4 bytes more for each TLP.");
    SOLIDTLM_KEY(hal::Ps, root_latency, 500'000, key.duration(Ps{0}, 1ms),
                 "From the end of a read request until the root begins to send its data.");
    SOLIDTLM_KEY(PcieDllps, dllps, PcieDllps::guide, key.enumerator({"guide", "per_lane", "none"}),
                 "What ACK and flow control DLLPs and SKP ordered sets take of the link's time. guide: a "
                 "pair after as many bytes as the standard's guide value has symbol times; per_lane: as many "
                 "on each lane; none: nothing (nvme.md).");

    /// Bytes: a completion carries at most MPS, and what the request that it answers asks for (MRRS).
    [[nodiscard]] std::uint32_t most_of_completion() const { return std::min(max_payload, max_read_request); }
};

}  // namespace solidtlm::hw
