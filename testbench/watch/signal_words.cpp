// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/signal_words.h"

#include "hw/pcie/link.h"

namespace solidtlm::testbench {
namespace {

constexpr std::array<std::string_view, hal::kBusPhases> kBusPhaseNames{
    "idle", "command", "address", "data_in", "data_out", "status", "wait"};

}  // namespace

std::vector<std::string> fis_words() {
    constexpr std::array kTypes{hw::FisType::register_h2d,   hw::FisType::register_d2h,
                                hw::FisType::dma_activate,   hw::FisType::dma_setup,
                                hw::FisType::data,           hw::FisType::pio_setup,
                                hw::FisType::set_device_bits};
    static_assert(kTypes.size() == hw::kFisTypes);
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::vector<std::string> words(hw::kFisTypes + 2, "none");
    words.back() = "unknown";
    for (const hw::FisType type : kTypes) {
        const auto byte = static_cast<std::uint8_t>(type);
        const std::size_t index = hw::fis_index(byte);
        words[index + 1] = std::string{kDigits[byte >> 4U], kDigits[byte & 0xFU]} + "h_";
        words[index + 1] += hw::fis_name(index);
    }
    return words;
}

std::vector<std::string> tlp_words() {
    return {"none", "20h_read_request", "60h_write", "4Ah_completion", "unknown"};
}

std::uint64_t tlp_word_of(std::uint8_t type) {
    return type == hw::PcieLink::kRead         ? 1
           : type == hw::PcieLink::kWrite      ? 2
           : type == hw::PcieLink::kCompletion ? 3
                                               : 4;
}

std::vector<std::string> dram_port_words(std::uint32_t channels) {
    std::vector<std::string> words{"idle", "host", "hash", "core"};
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
        words.push_back("channel_" + std::to_string(channel));
    }
    return words;
}

std::vector<std::string> bus_phase_words() {
    return {kBusPhaseNames.begin(), kBusPhaseNames.end()};
}

std::vector<std::string> die_words(std::uint32_t dies) {
    std::vector<std::string> words{"none"};
    for (std::uint32_t die = 0; die < dies; ++die) {
        words.push_back("die_" + std::to_string(die));
    }
    return words;
}

std::vector<std::string> array_words() {
    std::vector<std::string> words{"idle"};
    words.insert(words.end(), hal::kFlashOpcodeNames.begin(), hal::kFlashOpcodeNames.end());
    words.emplace_back("suspend");
    return words;
}

std::uint64_t array_word_of(hal::FlashOpcode opcode, bool suspended) {
    return suspended ? hal::kFlashOpcodeNames.size() + 1 : static_cast<std::uint64_t>(opcode) + 1;
}

}  // namespace solidtlm::testbench
