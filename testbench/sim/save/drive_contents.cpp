// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/save/drive_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cereal/archives/portable_binary.hpp>
#include <istream>
#include <new>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/tlm/sized.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/save/prefixes.h"

namespace solidtlm::testbench {
namespace {

/// The message for a list that claims to be longer than any memory.
constexpr const char* kForged = "is no saved drive, although its checksum is right";

/// A saved drive depends on all keys of these groups except those in kFree.
constexpr std::array<std::string_view, 4> kGroups{"content", "ssd.", "nand.", "firmware."};
constexpr std::array<std::string_view, 8> kFree{
    "nand.bus.", "nand.timing.",     "nand.controller.",     "nand.planes.",
    "nand.ecc.", "firmware.cycles.", "firmware.read_cache.", "firmware.reliability.rated_cycles"};
/// Keys that only the saved firmware state depends on: policies, buffers, and everything that a boot decides
/// again.
constexpr std::array<std::string_view, 10> kFirmwareAlone{"firmware.gc.",
                                                          "nvme.command_slots",
                                                          "firmware.wear.",
                                                          "firmware.write_buffer.",
                                                          "firmware.read_seg",
                                                          "firmware.write_seg",
                                                          "firmware.recovery.",
                                                          "firmware.reliability.reclaim_bits",
                                                          "firmware.allocation.programs_per_die",
                                                          "firmware.reliability.patrol"};

/// One key in the file, whose contents cannot be trusted.
struct LayoutEntry {
    std::string key;
    std::string value;

    template <class Archive>
    void serialize(Archive& archive) {
        constexpr std::size_t kLongestText = 65536;  // a fault script may be long
        hw::serialize_at_most(archive, key, kLongestText);
        hw::serialize_at_most(archive, value, kLongestText);
    }
};

void save_layout(cereal::PortableBinaryOutputArchive& archive, const DriveLayout& layout) {
    std::vector<LayoutEntry> entries;
    for (const auto& [key, value] : layout) {
        entries.push_back({key, value});
    }
    hw::serialize_list(archive, entries);
}

DriveLayout load_layout(cereal::PortableBinaryInputArchive& archive) {
    std::vector<LayoutEntry> entries;
    hw::serialize_list(archive, entries);
    DriveLayout layout;
    for (LayoutEntry& entry : entries) {
        layout[std::move(entry.key)] = std::move(entry.value);
    }
    return layout;
}

/// "nand.geometry.channels was 8 and is 4; ..."; empty if the layouts are equal.
std::string differences(const DriveLayout& saved, const DriveLayout& here, bool boots) {
    const auto value = [](const auto& layout, const std::string& key) {
        const auto at = layout.find(key);
        return at == layout.end() ? "nothing" : at->second;
    };
    DriveLayout all = saved;
    all.insert(here.begin(), here.end());
    std::string text;
    for (const auto& [key, unused] : all) {
        if (value(saved, key) != value(here, key) && !(boots && begins_with_any(key, kFirmwareAlone))) {
            text += fmt::format("{}{} was {} and is {}", text.empty() ? "" : "; ", key, value(saved, key),
                                value(here, key));
        }
    }
    return text;
}

void check_loadable(const DriveLayout& saved, const DriveLayout& here, bool by_block, bool with_firmware,
                    platform::Start how) {
    const bool boots = how != platform::Start::as_saved;
    if (const std::string other = differences(saved, here, boots); !other.empty()) {
        const bool may_boot = !by_block && differences(saved, here, true).empty();
        throw InputError(
            fmt::format("was saved from another drive: {}{}", other,
                        may_boot ? "; it may boot from its flash instead (--boot instant)" : ""));
    }
    if (!boots && !with_firmware) {
        throw InputError("was saved as flash alone, without its firmware");
    }
    if (boots && by_block) {
        throw InputError("cannot boot: block-mapped layers do not find their state on flash");
    }
}

void load(std::istream& stream, const DriveLayout& here, platform::Ssd& ssd, Verifier& verifier,
          std::optional<platform::Start> start, hal::Completion ready) {
    cereal::PortableBinaryInputArchive archive(stream);
    const DriveLayout saved = load_layout(archive);
    bool with_firmware = false;
    hw::serialize_flag(archive, with_firmware);
    const platform::Start how =
        start.value_or(with_firmware ? platform::Start::as_saved : platform::Start::boot_instant);
    check_loadable(saved, here, ssd.configuration().firmware.by_block(), with_firmware, how);
    archive(verifier);
    if (with_firmware && how != platform::Start::as_saved) {
        verifier.power_cut();
    }
    ssd.load(stream, how, ready);
}

}  // namespace

DriveLayout layout_of(const platform::Configuration& configuration) {
    DriveLayout layout;
    const auto keys = platform::to_json(configuration).flatten();
    for (const auto& [key, value] : keys.items()) {
        std::string name = key.substr(1);
        std::ranges::replace(name, '/', '.');
        if (begins_with_any(name, kGroups) && !begins_with_any(name, kFree)) {
            layout[name] = value.dump();
        }
    }
    if (configuration.has_nvme()) {  // with SATA, the firmware always has the same number of slots
        layout["nvme.command_slots"] = std::to_string(configuration.nvme.command_slots);
    }
    return layout;
}

void save_contents(std::ostream& stream, platform::Ssd& ssd, Verifier& verifier) {
    cereal::PortableBinaryOutputArchive archive(stream);
    save_layout(archive, layout_of(ssd.configuration()));
    bool with_firmware = ssd.powered();
    hw::serialize_flag(archive, with_firmware);
    archive(verifier);
    ssd.save(stream);
}

void load_contents(std::istream& stream, const DriveLayout& here, platform::Ssd& ssd, Verifier& verifier,
                   std::optional<platform::Start> start, hal::Completion ready) {
    try {
        load(stream, here, ssd, verifier, start, ready);
    } catch (const cereal::Exception& error) {
        throw InputError(error.what());
    } catch (const hal::StateError& error) {
        throw InputError(error.what());
    } catch (const std::bad_alloc&) {
        throw InputError(kForged);
    } catch (const std::length_error&) {
        throw InputError(kForged);
    }
}

}  // namespace solidtlm::testbench
