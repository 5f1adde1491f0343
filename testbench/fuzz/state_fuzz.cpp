// SPDX-License-Identifier: Apache-2.0
//
// A saved drive that somebody has tampered with, checksum included: changes to the bytes of its frame, and
// where it ends.
//
// It is refused, or it is a drive. What its flash holds may be nonsense then; what a boot makes of that is
// the business of recovery_fuzz.cpp.
#include <filesystem>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>
#include <systemc>

#include "fw/testing/files.h"
#include "platform/configuration.h"
#include "platform/ssd.h"
#include "testbench/fuzz/fuzz_target.h"
#include "testbench/fuzz/memory_file.h"
#include "testbench/host/request.h"
#include "testbench/precondition/ageing.h"
#include "testbench/state/drive_file.h"
#include "testbench/state/sha256.h"
#include "testbench/state/zstd_stream.h"

namespace solidtlm::fuzz {
namespace {

constexpr int kMostChanges = 64;

class SavedDrive {
  public:
    explicit SavedDrive(const std::filesystem::path& folder)
        : configuration_(platform::parse_configuration(
              "preset = \"tiny\"", "drive",
              {"nand.geometry.channels=1", "nand.geometry.dies=1", "nand.geometry.blocks=16",
               "nand.geometry.pages=8", "firmware.write_buffer.size=64KiB", "dram.size=4MiB",
               "ssd.over_provisioning=0.65", "firmware.trim.persist=\"journal\"", "faults.bit_errors=true"})),
          ssd_("ssd", configuration_) {
        testbench::Verifier verifier = new_verifier();
        testbench::Preconditioning preconditioning;
        (void)testbench::age(ssd_, preconditioning, verifier, testbench::ProgressMode::off);
        (void)ssd_.power_cut();
        verifier.power_cut();
        const std::filesystem::path saved = folder / "drive";
        testbench::save_drive(saved, ssd_, verifier);
        const std::string bytes = read_file(saved);
        first_line_ = bytes.substr(0, bytes.find('\n') + 1);
        std::string_view frame = bytes;
        frame.remove_prefix(first_line_.size());
        testbench::ZstdInput plain([&frame](std::span<char> to) {
            const std::size_t size = frame.copy(to.data(), to.size());
            frame.remove_prefix(size);
            return size;
        });
        frame.remove_suffix(testbench::Sha256::kBytes);
        std::istream stream(&plain);
        plain_.assign(std::istreambuf_iterator<char>(stream), {});
    }

    void run(Input& input) {
        std::string plain = plain_;
        for (int i = input.byte() % kMostChanges; i > 0; --i) {
            const auto at = input.number<std::uint32_t>();
            plain[at % plain.size()] = static_cast<char>(input.byte());
        }
        if (input.byte() % 2 == 1) {
            plain.resize(input.number<std::uint32_t>() % plain.size());
        }
        seal(plain);
        testbench::Verifier verifier = new_verifier();
        try {
            testbench::load_drive(file_.path(), ssd_, verifier, platform::Start::boot_timed, {});
        } catch (const testbench::InputError&) {
            return;
        }
    }

  private:
    [[nodiscard]] testbench::Verifier new_verifier() const {
        testbench::VerifierConfig config;
        config.content = configuration_.content;
        config.sectors = configuration_.firmware.exported_sectors;
        config.power_cuts = true;
        return testbench::Verifier(config);
    }
    /// Writes the file with these bytes in its frame.
    void seal(const std::string& plain) const {
        std::string bytes = first_line_;
        testbench::ZstdOutput compressor([&bytes](std::string_view piece) { bytes += piece; });
        std::ostream(&compressor) << plain;
        compressor.finish();
        testbench::Sha256 sum;
        sum.add(bytes);
        file_.replace(bytes + sum.digest());
    }

    const platform::Configuration configuration_;
    platform::Ssd ssd_;
    const MemoryFile file_;
    std::string first_line_;
    std::string plain_;  // the bytes in the frame of a sound file
};

}  // namespace
}  // namespace solidtlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // SystemC elaborates once a process, and is not taken down.
    static auto& drive = *new solidtlm::fuzz::SavedDrive(
        solidtlm::TemporaryFolder().path());  // NOLINT(cppcoreguidelines-owning-memory)
    solidtlm::fuzz::Input input(data, size);
    drive.run(input);
    return 0;
}

/// The library of SystemC wants one; main() is libFuzzer's or that of run_seeds.cpp.
int sc_main(int, char**) {  // NOLINT(readability-identifier-naming)
    return 0;
}
