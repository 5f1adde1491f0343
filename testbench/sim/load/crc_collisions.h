// SPDX-License-Identifier: Apache-2.0
//
// Pairs of block identities whose contents differ but have the same CRC-32: 4,096 bytes as the verifier
// expands them (Verifier::sector_identity, hw/tlm/content.h), CRC-32 as the hash unit computes it. Tests use
// them to check that such blocks are never taken for equal.
//
// They were found by expanding the 2^19 identities from 2^60 on, a range that no workload uses, and looking
// for equal CRC-32. The 2^37 pairs over 2^32 values give 32 expected matches; the first 32 are here.
#pragma once

#include <array>
#include <cstdint>

namespace solidtlm::testbench {

inline constexpr std::uint64_t kCrcCollisionBase = std::uint64_t{1} << 60;

/// Each entry holds two identities.
inline constexpr std::array<std::array<std::uint64_t, 2>, 32> kCrcCollisions = [] {
    std::array<std::array<std::uint64_t, 2>, 32> pairs{{
        {49385, 70452},   {84896, 161486},  {136280, 168081}, {143409, 187660}, {2741, 192875},
        {13343, 193118},  {139448, 221498}, {68973, 224585},  {154777, 237937}, {255216, 274710},
        {108637, 275343}, {295415, 302695}, {114339, 307713}, {64559, 333317},  {151387, 338375},
        {176112, 339937}, {163081, 351933}, {229319, 364987}, {181226, 368065}, {83912, 371765},
        {108272, 374411}, {199917, 381011}, {254311, 382258}, {375326, 384530}, {139237, 388965},
        {81639, 391212},  {108172, 391882}, {245885, 396520}, {239284, 400650}, {171653, 404355},
        {175653, 428081}, {120436, 434588},
    }};
    for (auto& pair : pairs) {
        for (std::uint64_t& identity : pair) {
            identity += kCrcCollisionBase;
        }
    }
    return pairs;
}();

}  // namespace solidtlm::testbench
