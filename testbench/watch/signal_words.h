// SPDX-License-Identifier: Apache-2.0
//
// The words that recordings use for values. In every list, "nothing" comes first, so a value is its
// enumerator plus 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fw/hal/probe.h"
#include "hw/nand/flash_request.h"
#include "hw/sata/fis.h"

namespace solidtlm::testbench {

template <std::size_t N>
std::vector<std::string> with_none(const std::array<std::string_view, N>& names) {
    std::vector<std::string> words{"none"};
    words.insert(words.end(), names.begin(), names.end());
    return words;
}

/// Index: fis_index() + 1. The type byte and the name, such as 27h_register_h2d.
[[nodiscard]] std::vector<std::string> fis_words();
/// Index: tlp_word_of().
[[nodiscard]] std::vector<std::string> tlp_words();
/// The word of a TLP whose header begins with `type`.
[[nodiscard]] std::uint64_t tlp_word_of(std::uint8_t type);
/// Index: hal::DramPort + 1.
[[nodiscard]] std::vector<std::string> dram_port_words(std::uint32_t channels);
/// Index: hal::BusPhase.
[[nodiscard]] std::vector<std::string> bus_phase_words();
[[nodiscard]] std::vector<std::string> die_words(std::uint32_t dies);
/// Index: array_word_of().
[[nodiscard]] std::vector<std::string> array_words();
[[nodiscard]] std::uint64_t array_word_of(hal::FlashOpcode opcode, bool suspended);

}  // namespace solidtlm::testbench
