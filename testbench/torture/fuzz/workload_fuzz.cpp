// SPDX-License-Identifier: Apache-2.0
//
// Reads one-line texts of users. One byte decides whether the rest is a workload, a workload on a file
// system, a preconditioning or a value with a unit.
#include <cstdint>
#include <optional>
#include <string_view>

#include "fw/hal/check.h"
#include "platform/units.h"
#include "testbench/sim/age/preconditioning.h"
#include "testbench/sim/load/fs/fs_source.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/sim/load/workload.h"
#include "testbench/torture/fuzz/fuzz_target.h"
#include "testbench/torture/fuzz/sound_requests.h"

namespace solidtlm::fuzz {
namespace {

using testbench::Request;

constexpr std::uint64_t kDeviceSectors = std::uint64_t{1} << 22;  // 2 GiB
constexpr int kRequests = 50;

void draw(testbench::RequestSource& source) {
    Request request;
    SoundRequests sound(kDeviceSectors);
    for (int i = 0; i < kRequests && source.next(request); ++i) {
        sound.expect(request);
    }
}

void read_workload(std::string_view spec) {
    const auto source = testbench::make_workload(testbench::parse_workload(spec, kDeviceSectors));
    draw(*source);
}

void read_fs_workload(std::string_view spec) {
    if (!testbench::fs::is_fs_workload(spec)) {
        return;
    }
    testbench::fs::FsSource source(testbench::fs::parse_fs_workload(spec, kDeviceSectors));
    source.advance(testbench::Ps{0});
    draw(source);
}

void read_preconditioning(std::string_view spec) {
    const std::string text = to_text(testbench::parse_preconditioning(spec));
    SOLIDTLM_CHECK(to_text(testbench::parse_preconditioning(text)) == text,
                   "a preconditioning reads back as itself");
}

/// A value that was read and printed must read back as the same value.
template <class Value, class Text>
void expect_back(std::optional<Value> (*parse)(std::string_view), Text (*format)(Value),
                 std::string_view text) {
    if (const std::optional<Value> value = parse(text); value) {
        SOLIDTLM_CHECK(parse(format(*value)) == value, "a value with a unit reads back as itself");
    }
}

void read_value(std::string_view text) {
    expect_back(platform::parse_size, platform::format_size, text);
    expect_back(platform::parse_duration, platform::format_duration, text);
    expect_back(platform::parse_age, platform::format_age, text);
    expect_back(platform::parse_number, platform::format_number, text);
    static_cast<void>(platform::parse_count(text));
    static_cast<void>(platform::parse_rate(text));
    if (const auto share = platform::parse_share(text); share) {
        SOLIDTLM_CHECK(*share >= 0 && *share <= 1, "a share is between 0 and 1");
    }
}

void read(Input input) {
    const std::uint8_t what = input.byte();
    try {
        switch (what % 4) {
            case 0:
                return read_workload(input.rest());
            case 1:
                return read_fs_workload(input.rest());
            case 2:
                return read_preconditioning(input.rest());
            default:
                return read_value(input.rest());
        }
    } catch (const testbench::InputError&) {  // the text was refused
        return;
    }
}

}  // namespace
}  // namespace solidtlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    solidtlm::fuzz::read(solidtlm::fuzz::Input(data, size));
    return 0;
}
