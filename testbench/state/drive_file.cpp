// SPDX-License-Identifier: Apache-2.0
#include "testbench/state/drive_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
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
constexpr std::string_view kVersion = "2\n";

/// Keys that what is on flash depends on, and their values. All of these groups do, but for what is named:
/// times, policies and what is decided anew at every boot.
std::map<std::string, std::string> layout_of(const platform::Configuration& configuration) {
    constexpr std::array<std::string_view, 4> kGroups{"/content", "/ssd/", "/nand/", "/firmware/"};
    constexpr std::array<std::string_view, 15> kFree{"/nand/bus/",
                                                     "/nand/timing/",
                                                     "/nand/controller/",
                                                     "/nand/ecc/",
                                                     "/firmware/cycles/",
                                                     "/firmware/gc/",
                                                     "/firmware/wear/",
                                                     "/firmware/write_buffer/",
                                                     "/firmware/read_seg",
                                                     "/firmware/write_seg",
                                                     "/firmware/recovery/",
                                                     "/firmware/reliability/reclaim_bits",
                                                     "/firmware/allocation/programs_per_die",
                                                     "/firmware/reliability/patrol",
                                                     "/firmware/reliability/rated_cycles"};
    std::map<std::string, std::string> layout;
    const auto keys = platform::to_json(configuration).flatten();
    for (const auto& [key, value] : keys.items()) {
        if (begins_with_any(key, kGroups) && !begins_with_any(key, kFree)) {
            std::string name = key.substr(1);
            std::ranges::replace(name, '/', '.');
            layout[name] = value.dump();
        }
    }
    return layout;
}

/// "nand.geometry.channels: found 8, allowed: 4 as here; ...", or nothing.
std::string differences(const std::map<std::string, std::string>& saved,
                        const std::map<std::string, std::string>& here) {
    const auto value = [](const auto& layout, const std::string& key) {
        const auto at = layout.find(key);
        return at == layout.end() ? "nothing" : at->second;
    };
    std::map<std::string, std::string> all = saved;
    all.insert(here.begin(), here.end());
    std::string text;
    for (const auto& [key, unused] : all) {
        if (value(saved, key) != value(here, key)) {
            text += fmt::format("{}{} was {} and is {}", text.empty() ? "" : "; ", key, value(saved, key),
                                value(here, key));
        }
    }
    return text;
}

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view why) {
    throw InputError(fmt::format("{}: {}", path.string(), why));
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
            refuse(path_, "is a saved drive of another version of the format; this program reads version 2");
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
        archive(layout_of(ssd.configuration()), verifier);
        ssd.save(stream);
    }
    compressor.finish();
    file.write(sum.digest());
    file.finish();
}

void load_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier,
                hal::Completion ready, bool instantly) {
    FrameReader frame(path);
    ZstdInput decompressor([&frame](std::span<char> bytes) { return frame.read(bytes); });
    std::istream stream(&decompressor);
    try {
        cereal::PortableBinaryInputArchive archive(stream);
        std::map<std::string, std::string> saved;
        archive(saved);
        if (const std::string other = differences(saved, layout_of(ssd.configuration())); !other.empty()) {
            refuse(path, "was saved from another drive: " + other);
        }
        archive(verifier);
        ssd.load(stream, ready, instantly);
    } catch (const cereal::Exception& error) {
        refuse(path, error.what());
    } catch (const std::bad_alloc&) {
        refuse(path, kForged);
    } catch (const std::length_error&) {
        refuse(path, kForged);
    }
}

}  // namespace solidtlm::testbench
