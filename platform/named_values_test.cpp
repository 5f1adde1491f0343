// SPDX-License-Identifier: Apache-2.0
#include "platform/named_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace solidtlm::platform {
namespace {

/// Boots the firmware without simulating time.
struct Nothing : hw::UntimedFeed {
    bool next(hal::HostCommand& /*command*/, const hw::UntimedStatistics& /*so_far*/) override {
        return false;
    }
    void content(const hal::HostCommand& /*command*/, std::uint32_t /*first*/,
                 std::span<std::byte> /*sectors*/) override {}
};

/// Checks that every name occurs once, and has a value and a description.
template <class Read>
void expect_readable(const std::vector<std::string>& names, const Read& read) {
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    for (const std::string& name : names) {
        const std::optional<NamedValue> value = read(name);
        ASSERT_TRUE(value.has_value()) << name;
        EXPECT_FALSE(value->what.empty()) << name;
    }
}

TEST(NamedValues, AreThoseOfTheDrive) {
    ConfigurationSources sources;
    sources.preset = "tiny";
    sources.settings = {"nand.timing.read=41us", "firmware.gc.policy=fifo", "firmware.gc.copy_back=true"};
    Ssd ssd("ssd", load_configuration(sources));
    const NamedValues values(ssd);
    const auto parameter = [&values](const std::string& name) { return values.parameter(name); };
    const auto metric = [&values](const std::string& name) { return values.metric(name); };

    expect_readable(values.parameters(), parameter);
    EXPECT_EQ(values.parameter("nand.timing.read")->value, R"(["41us"])");
    EXPECT_EQ(values.parameter("nand.timing.erase")->value, "1.5ms");
    EXPECT_EQ(values.parameter("firmware.gc.policy")->value, "fifo");
    EXPECT_EQ(values.parameter("firmware.gc.copy_back")->value, "true");
    EXPECT_EQ(values.parameter("nand.geometry.channels")->value, "2");
    EXPECT_FALSE(values.parameter("nand.geometry").has_value()) << "a table";
    EXPECT_FALSE(values.parameter("").has_value());

    // Without firmware, only the hardware reports metrics.
    EXPECT_TRUE(std::ranges::all_of(values.metrics(),
                                    [](const std::string& name) { return name.starts_with("hardware."); }));
    EXPECT_FALSE(values.metric("firmware.host.unwritten_units").has_value());

    Nothing nothing;
    ssd.age(nothing);
    expect_readable(values.metrics(), metric);
    EXPECT_EQ(values.metric("firmware.host.unwritten_units")->value, "0");
    EXPECT_EQ(values.metric("firmware.host.unwritten_units")->unit, "units");
    EXPECT_EQ(values.metric("firmware.ftl.free_superblocks")->value, "64") << "16 of each of 4 dies";
    EXPECT_EQ(values.metric("hardware.energy.seconds")->value, "0");
    for (const char* name :
         {"", "firmware", "firmware.", "hardware.", "hardware.nothing", "energy.seconds"}) {
        EXPECT_FALSE(values.metric(name).has_value()) << name;
    }
}

}  // namespace
}  // namespace solidtlm::platform
