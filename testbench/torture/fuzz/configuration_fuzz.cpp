// SPDX-License-Identifier: Apache-2.0
//
// Reads a configuration file and settings. Lines `--set KEY=VALUE` are settings, all others form the file.
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "fw/firmware.h"
#include "fw/hal/check.h"
#include "platform/configuration.h"
#include "testbench/torture/fuzz/fuzz_target.h"

namespace solidtlm::fuzz {
namespace {

constexpr std::string_view kSetting = "--set ";

/// An accepted configuration must be complete and consistent, and must read back unchanged.
void expect_sound(const platform::Configuration& configuration) {
    const std::string written = platform::to_toml(configuration);
    SOLIDTLM_CHECK(platform::to_toml(platform::parse_configuration(written, "written.toml")) == written,
                   "a configuration reads back as itself");
    SOLIDTLM_CHECK(
        configuration.exported_bytes() > 0 && configuration.exported_bytes() <= configuration.raw_bytes(),
        "a drive exports something, and no more than it has");
    SOLIDTLM_CHECK(fw::Firmware::dram_bytes(configuration.firmware) <= configuration.dram.size_bytes,
                   "what the firmware needs fits into the DRAM");
}

void read(std::string_view text) {
    std::string toml;
    std::vector<std::string> settings;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (line.substr(0, kSetting.size()) == kSetting) {
            settings.emplace_back(line.substr(kSetting.size()));
        } else {
            toml.append(line).append("\n");
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    try {
        expect_sound(platform::parse_configuration(toml, "input.toml", settings));
    } catch (const platform::ConfigurationError& error) {
        SOLIDTLM_CHECK(!error.issues().empty(), "what is refused has a reason");
    }
}

}  // namespace
}  // namespace solidtlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    solidtlm::fuzz::read(solidtlm::fuzz::Input(data, size).rest());
    return 0;
}
