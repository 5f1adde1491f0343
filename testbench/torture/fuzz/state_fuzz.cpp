// SPDX-License-Identifier: Apache-2.0
//
// Loads a saved drive that was tampered with but has a valid checksum: bytes of its contents are changed, and
// the contents may end early or late.
//
// The file is either refused or loads as a drive. Its flash may then hold nonsense; recovery_fuzz.cpp tests
// how a boot handles that.
#include <sstream>
#include <string>
#include <systemc>
#include <utility>

#include "platform/configuration.h"
#include "platform/ssd.h"
#include "testbench/sim/age/ageing.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/save/drive_contents.h"
#include "testbench/torture/fuzz/fuzz_target.h"

namespace solidtlm::fuzz {
namespace {

constexpr int kMostChanges = 64;

class SavedDrive {
  public:
    SavedDrive()
        : configuration_(platform::parse_configuration(
              "preset = \"tiny\"", "drive",
              {"nand.geometry.channels=1", "nand.geometry.dies=1", "nand.geometry.blocks=16",
               "nand.geometry.pages=8", "firmware.write_buffer.size=64KiB", "dram.size=4MiB",
               "ssd.over_provisioning=0.65", "firmware.trim.persist=\"journal\"", "faults.bit_errors=true"})),
          ssd_("ssd", configuration_) {
        testbench::Verifier verifier = new_verifier();
        testbench::Preconditioning preconditioning;
        preconditioning.size_bytes = 1536;  // some contents are stored per sector
        (void)testbench::age(ssd_, preconditioning, verifier, testbench::ProgressMode::off);
        (void)ssd_.power_cut();
        verifier.power_cut();
        std::ostringstream saved;
        testbench::save_contents(saved, ssd_, verifier);
        sound_ = std::move(saved).str();
    }

    void run(Input& input) {
        std::string bytes = sound_;
        for (int i = input.byte() % kMostChanges; i > 0; --i) {
            const auto at = input.number<std::uint32_t>();
            bytes[at % bytes.size()] = static_cast<char>(input.byte());
        }
        if (input.byte() % 2 == 1) {
            bytes.resize(input.number<std::uint32_t>() % bytes.size());
        }
        std::istringstream stream(std::move(bytes));
        testbench::Verifier verifier = new_verifier();
        try {
            testbench::load_contents(stream, layout_, ssd_, verifier, platform::Start::boot_timed, {});
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

    const platform::Configuration configuration_;
    platform::Ssd ssd_;
    const testbench::DriveLayout layout_ = testbench::layout_of(configuration_);
    std::string sound_;
};

}  // namespace
}  // namespace solidtlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // SystemC elaborates once per process, so the drive is never destroyed.
    static auto& drive = *new solidtlm::fuzz::SavedDrive;  // NOLINT(cppcoreguidelines-owning-memory)
    solidtlm::fuzz::Input input(data, size);
    drive.run(input);
    return 0;
}

/// The SystemC library needs this symbol; main() comes from libFuzzer or run_seeds.cpp.
int sc_main(int, char**) {  // NOLINT(readability-identifier-naming)
    return 0;
}
