// SPDX-License-Identifier: Apache-2.0
//
// Keys of the map cache.
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

using hal::Ps;

/// Flash times from which the cost of a miss is computed in closed form.
struct FlashTimes {
    Ps read{0};                          ///< tR; the mean where pages differ
    Ps program{0};                       ///< tPROG; the mean where pages differ
    std::int64_t read_byte_fs = 0;       ///< femtoseconds: a byte from the page register over the bus (tRC)
    std::int64_t write_byte_fs = 0;      ///< a byte into it (tWC)
    std::uint32_t codeword_bytes = 512;  ///< least that a read transfers: an ECC codeword, a sector without
                                         ///< ECC
    std::uint32_t codeword_bus_bytes = 512;  ///< the codeword with its parity
};

struct MapCacheConfig {
    SOLIDTLM_KEYS(MapCacheConfig);
    SOLIDTLM_KEY(std::string, policy, "full_table", key.map_cache_policy(),
                 "full_table: the whole map in DRAM; the others keep part of it there, the rest on flash.");
    SOLIDTLM_KEY_AS("size", std::uint64_t, size_bytes, 64ULL << 10, key.size(1, 1024 * hal::kGiB),
                    "DRAM for cached entries and what it takes to find and order them; not for full_table.");
    SOLIDTLM_KEY(std::uint32_t, tafp_bytes, 64, key.size(8, 256),
                 "tafp: entries brought in on a miss, 4 bytes each.");
    SOLIDTLM_KEY(
        std::string, bsb_candidates, "full,tafp_64,tafp_128,tafp_256", key.printable(4, 100),
        "bsb: windows to choose from, by comma: full (a translation page) and tafp_N (N bytes of entries).");
    SOLIDTLM_KEY(double, bsb_decay, 0.99, key.number(0.0, 0.999999),
                 "bsb: what is left of a window's score at each page request.");
    SOLIDTLM_KEY(bool, bsb_balance, true, key.boolean(),
                 "bsb: a window scores only if its runs would still be in a cache of this size.");
    SOLIDTLM_KEY(double, sftl_dirty_share, 0.1, key.number(0.0, 0.5),
                 "sftl: share of the size for single dirty entries whose page has left.");
    SOLIDTLM_KEY(std::uint32_t, sftl_sparse_limit, 16, key.integer(0, 1'024, "entries"),
                 "sftl: most dirty entries of a page that go there instead of being written.");
    SOLIDTLM_KEY(std::uint32_t, cftl_group, 8, key.integer(2, 128, "units"),
                 "cftl: logical pages that one block entry stands for: a power of two.");
    SOLIDTLM_KEY(std::uint32_t, cftl_heat_groups, 1024, key.integer(1, 1'048'576, "counters"),
                 "cftl: request counters of 4 bits, shared by the groups that hash to one.");
    SOLIDTLM_KEY_AS("translation_page", std::uint32_t, translation_page_bytes, 0, key.size(0, 64 * hal::kKiB),
                    "Part of the map that is read and written at once: a power of two from 512 bytes to a "
                    "page; 0: the largest.");
    FlashTimes times;  ///< set by the platform

    /// The whole map is in DRAM.
    [[nodiscard]] bool whole_map() const { return policy == "full_table"; }
};

}  // namespace solidtlm::fw
