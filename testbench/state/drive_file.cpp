// SPDX-License-Identifier: Apache-2.0
#include "testbench/state/drive_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cereal/archives/portable_binary.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/tlm/sized.h"
#include "testbench/files/streamed_file.h"
#include "testbench/host/request.h"
#include "testbench/state/prefixes.h"
#include "testbench/state/sha256.h"
#include "testbench/state/zstd_stream.h"

namespace solidtlm::testbench {
namespace {

constexpr std::string_view kFormat = "SolidTLM drive ";
/// A list in it claims to be longer than any memory.
constexpr std::string_view kForged = "is no saved drive, although its checksum is right";
constexpr std::string_view kVersion = "3\n";

/// Of these groups a saved drive depends on all keys but times.
constexpr std::array<std::string_view, 4> kGroups{"content", "ssd.", "nand.", "firmware."};
constexpr std::array<std::string_view, 6> kFree{"nand.bus.",        "nand.timing.",
                                                "nand.controller.", "nand.ecc.",
                                                "firmware.cycles.", "firmware.reliability.rated_cycles"};
/// And of these no more than what its firmware knows: policies, buffers, and what a boot decides anew.
constexpr std::array<std::string_view, 9> kFirmwareAlone{"firmware.gc.",
                                                         "firmware.wear.",
                                                         "firmware.write_buffer.",
                                                         "firmware.read_seg",
                                                         "firmware.write_seg",
                                                         "firmware.recovery.",
                                                         "firmware.reliability.reclaim_bits",
                                                         "firmware.allocation.programs_per_die",
                                                         "firmware.reliability.patrol"};

/// Keys that a saved drive depends on, and their values.
using Layout = std::map<std::string, std::string>;

/// One of them in the file, which may be anybody's.
struct LayoutEntry {
    std::string key;
    std::string value;

    template <class Archive>
    void serialize(Archive& archive) {
        constexpr std::size_t kLongestText = 65536;  // a script of faults may be long
        hw::serialize_at_most(archive, key, kLongestText);
        hw::serialize_at_most(archive, value, kLongestText);
    }
};

void save_layout(cereal::PortableBinaryOutputArchive& archive, const Layout& layout) {
    std::vector<LayoutEntry> entries;
    for (const auto& [key, value] : layout) {
        entries.push_back({key, value});
    }
    hw::serialize_list(archive, entries);
}

Layout load_layout(cereal::PortableBinaryInputArchive& archive) {
    std::vector<LayoutEntry> entries;
    hw::serialize_list(archive, entries);
    Layout layout;
    for (LayoutEntry& entry : entries) {
        layout[std::move(entry.key)] = std::move(entry.value);
    }
    return layout;
}

Layout layout_of(const platform::Configuration& configuration) {
    Layout layout;
    const auto keys = platform::to_json(configuration).flatten();
    for (const auto& [key, value] : keys.items()) {
        std::string name = key.substr(1);
        std::ranges::replace(name, '/', '.');
        if (begins_with_any(name, kGroups) && !begins_with_any(name, kFree)) {
            layout[name] = value.dump();
        }
    }
    return layout;
}

/// "nand.geometry.channels was 8 and is 4; ...", or nothing.
std::string differences(const Layout& saved, const Layout& here, bool boots) {
    const auto value = [](const auto& layout, const std::string& key) {
        const auto at = layout.find(key);
        return at == layout.end() ? "nothing" : at->second;
    };
    Layout all = saved;
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

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view why) {
    throw InputError(fmt::format("{}: {}", path.string(), why));
}

void check_loadable(const std::filesystem::path& path, const Layout& saved,
                    const platform::Configuration& configuration, bool with_firmware, platform::Start how) {
    const bool boots = how != platform::Start::as_saved;
    const auto here = layout_of(configuration);
    if (const std::string other = differences(saved, here, boots); !other.empty()) {
        const bool may_boot = !configuration.firmware.by_block() && differences(saved, here, true).empty();
        refuse(path, fmt::format("was saved from another drive: {}{}", other,
                                 may_boot ? "; it may boot from its flash instead (--boot instant)" : ""));
    }
    if (!boots && !with_firmware) {
        refuse(path, "was saved as flash alone, without its firmware");
    }
    if (boots && configuration.firmware.by_block()) {
        refuse(path, "cannot boot: block-mapped layers do not find their state on flash");
    }
}

/// The bytes of the frame, once the file has been found sound.
class FrameReader {
  public:
    explicit FrameReader(const std::filesystem::path& path) : path_(path), file_(path, std::ios::binary) {
        if (!file_ || std::filesystem::is_directory(path)) {
            refuse(path, fmt::format("cannot be read: {}", std::strerror(file_ ? EISDIR : errno)));
        }
        check();
    }

    std::size_t read(std::span<char> bytes) {
        file_.read(bytes.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(bytes.size(), left_)));
        left_ -= static_cast<std::uint64_t>(file_.gcount());
        return static_cast<std::size_t>(file_.gcount());
    }

  private:
    void check() {
        constexpr std::size_t kBegin = kFormat.size() + kVersion.size();
        const std::uint64_t size = std::filesystem::file_size(path_);
        std::array<char, kBegin> begin{};
        file_.read(begin.data(), begin.size());
        const std::string_view line(begin.data(), static_cast<std::size_t>(file_.gcount()));
        if (!line.starts_with(kFormat) || size < kBegin + Sha256::kBytes) {
            refuse(path_, "is no saved drive, or only the beginning of one");
        }
        if (line.substr(kFormat.size()) != kVersion) {
            refuse(path_, "is a saved drive of another version of the format; this program reads version 3");
        }
        Sha256 sum;
        sum.add(line);
        left_ = size - kBegin - Sha256::kBytes;
        std::array<char, 1U << 16U> buffer{};
        while (left_ > 0 && file_) {
            sum.add({buffer.data(), read(buffer)});
        }
        std::string digest(Sha256::kBytes, '\0');
        file_.read(digest.data(), Sha256::kBytes);
        if (!file_ || digest != sum.digest()) {
            refuse(path_, "is damaged or not whole: its contents do not have the checksum at its end");
        }
        file_.seekg(kBegin);
        left_ = size - kBegin - Sha256::kBytes;
    }

    std::filesystem::path path_;
    std::ifstream file_;
    std::uint64_t left_ = 0;  // of the frame
};

}  // namespace

void save_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier) {
    StreamedFile file(path);
    Sha256 sum;
    const auto write = [&file, &sum](std::string_view bytes) {
        sum.add(bytes);
        file.write(bytes);
    };
    write(kFormat);
    write(kVersion);
    ZstdOutput compressor(write);
    std::ostream stream(&compressor);
    {
        cereal::PortableBinaryOutputArchive archive(stream);
        save_layout(archive, layout_of(ssd.configuration()));
        bool with_firmware = ssd.powered();
        hw::serialize_flag(archive, with_firmware);
        archive(verifier);
        ssd.save(stream);
    }
    compressor.finish();
    file.write(sum.digest());
    file.finish();
}

void load_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier,
                std::optional<platform::Start> start, hal::Completion ready) {
    FrameReader frame(path);
    ZstdInput decompressor([&frame](std::span<char> bytes) { return frame.read(bytes); });
    std::istream stream(&decompressor);
    try {
        cereal::PortableBinaryInputArchive archive(stream);
        const Layout saved = load_layout(archive);
        bool with_firmware = false;
        hw::serialize_flag(archive, with_firmware);
        const platform::Start how =
            start.value_or(with_firmware ? platform::Start::as_saved : platform::Start::boot_instant);
        check_loadable(path, saved, ssd.configuration(), with_firmware, how);
        archive(verifier);
        if (with_firmware && how != platform::Start::as_saved) {
            verifier.power_cut();
        }
        ssd.load(stream, how, ready);
    } catch (const cereal::Exception& error) {
        refuse(path, error.what());
    } catch (const hal::StateError& error) {
        refuse(path, error.what());
    } catch (const std::bad_alloc&) {
        refuse(path, kForged);
    } catch (const std::length_error&) {
        refuse(path, kForged);
    }
}

}  // namespace solidtlm::testbench
