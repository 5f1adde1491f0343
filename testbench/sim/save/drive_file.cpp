// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/save/drive_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <ostream>
#include <string>

#include "testbench/sim/files/streamed_file.h"
#include "testbench/sim/files/zstd_stream.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/save/drive_contents.h"
#include "testbench/sim/save/sha256.h"

namespace solidtlm::testbench {
namespace {

constexpr std::string_view kFormat = "SolidTLM drive ";
constexpr std::string_view kVersion = kSavedDriveLine.substr(kFormat.size());
static_assert(kSavedDriveLine.starts_with(kFormat));

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view why) {
    throw InputError(fmt::format("{}: {}", path.string(), why));
}

/// Reads the frame's bytes after the file's checksum was verified.
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
        constexpr std::size_t kBegin = kSavedDriveLine.size();
        const std::uint64_t size = std::filesystem::file_size(path_);
        std::array<char, kBegin> begin{};
        file_.read(begin.data(), begin.size());
        const std::string_view line(begin.data(), static_cast<std::size_t>(file_.gcount()));
        if (!line.starts_with(kFormat) || size < kBegin + Sha256::kBytes) {
            refuse(path_,
                   "found no saved drive, or a truncated one; allowed: a file written by --save-state");
        }
        if (line.substr(kFormat.size()) != kVersion) {
            refuse(path_, fmt::format("is a saved drive of another version of the format; this program reads "
                                      "version {}",
                                      kVersion.substr(0, kVersion.size() - 1)));
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
    std::uint64_t left_ = 0;  // bytes left in the frame
};

}  // namespace

void save_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier) {
    StreamedFile file(path);
    Sha256 sum;
    const auto write = [&file, &sum](std::string_view bytes) {
        sum.add(bytes);
        file.write(bytes);
    };
    write(kSavedDriveLine);
    ZstdOutput compressor(write);
    std::ostream stream(&compressor);
    save_contents(stream, ssd, verifier);
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
        load_contents(stream, layout_of(ssd.configuration()), ssd, verifier, start, ready);
    } catch (const InputError& error) {
        refuse(path, error.what());
    }
}

}  // namespace solidtlm::testbench
