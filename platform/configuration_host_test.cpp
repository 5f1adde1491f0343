// SPDX-License-Identifier: Apache-2.0
//
// Rules between the host, its interface and the link: what would be cut in silence is refused.
#include <gtest/gtest.h>

#include "platform/configuration_test_support.h"

namespace solidtlm::platform {
namespace {

using Texts = std::vector<std::string>;

Texts issues_on_nvme(const std::vector<std::string>& settings) {
    return issues_in("preset = \"tiny\"\nhost.interface = \"nvme\"\ndram.size = \"64MiB\"\n", settings);
}

TEST(HostConfiguration, TheHostsQueuesAreAtMostThoseOfTheController) {
    EXPECT_EQ(issues_on_nvme({"nvme.queues=1", "host.nvme.queues=64"}),
              Texts{"--set: host.nvme.queues: found 64 pairs of queues for the host; allowed: at most the 1 "
                    "of the controller (nvme.queues)"});
    EXPECT_EQ(issues_on_nvme({"host.nvme.queues=3", "nvme.queues=2"}),
              Texts{"--set: nvme.queues: found 3 pairs of queues for the host; allowed: at most the 2 of the "
                    "controller (nvme.queues)"});
    EXPECT_EQ(issues_on_nvme({"host.nvme.queues=2", "nvme.queues=2"}), Texts{});
}

// 2 pairs of queues with 4 entries each hold 2 x 3 commands.
TEST(HostConfiguration, TheHostHasAtMostAsManyCommandsAsItsQueuesHold) {
    const std::vector<std::string> small{"host.nvme.queues=2", "nvme.queue_entries=4"};
    EXPECT_EQ(issues_on_nvme(small), Texts{}) << "the built-in depth is an upper bound";
    const Configuration drive = with("tiny", {"host.interface=nvme", small[0], small[1]});
    EXPECT_EQ(to_toml(parse_configuration("generated = true\n" + to_toml(drive), "again.toml")),
              to_toml(drive))
        << "nor does a program that writes every key ask for it";
    auto settings = small;
    settings.emplace_back("host.nvme.queue_depth=6");
    EXPECT_EQ(issues_on_nvme(settings), Texts{});
    settings.back() = "host.nvme.queue_depth=7";
    EXPECT_EQ(issues_on_nvme(settings),
              Texts{"--set: host.nvme.queue_depth: found 7 commands; allowed: at most the 6 that the host's "
                    "queues hold"});
}

TEST(HostConfiguration, ACompletionIsAtMostAsLongAsMpsAndMrrs) {
    EXPECT_EQ(issues_on_nvme({"pcie.completion_size=4KiB"}),
              Texts{"--set: pcie.completion_size: found completions of 4096 bytes; allowed: at most 256, the "
                    "least of pcie.max_payload (256) and pcie.max_read_request (512), or 0"});
    EXPECT_EQ(issues_on_nvme({"pcie.completion_size=256"}), Texts{});
    EXPECT_EQ(issues_on_nvme({"pcie.completion_size=512", "pcie.max_payload=1KiB"}), Texts{});
    EXPECT_EQ(issues_on_nvme({"pcie.max_payload=1KiB", "pcie.completion_size=1KiB"}).size(), 1U);
    EXPECT_EQ(issues_on_nvme({"pcie.completion_size=256", "pcie.max_read_request=128"}),
              Texts{"--set: pcie.max_read_request: found completions of 256 bytes; allowed: at most 128, the "
                    "least of pcie.max_payload (256) and pcie.max_read_request (128), or 0"});
}

// 4096 commands need 8192 windows of 32 KiB, which 64 MiB do not hold.
TEST(HostConfiguration, OfSeveralSettingsTheLastOneIsBlamed) {
    const std::vector<std::string> nvme{"host.interface=nvme", "nvme.command_slots=4096"};
    const Texts slots = issues_in("preset = \"tiny\"\ndram.size = \"64MiB\"\n", nvme);
    ASSERT_EQ(slots.size(), 1U);
    EXPECT_TRUE(slots[0].starts_with("--set: nvme.command_slots: found a DRAM (dram.size) of 67108864 bytes"))
        << slots[0];
    const Texts sizes = issues_in("preset = \"tiny\"\n", {nvme[0], nvme[1], "dram.size=64MiB"});
    ASSERT_EQ(sizes.size(), 1U);
    EXPECT_TRUE(sizes[0].starts_with("--set: dram.size: found a DRAM")) << sizes[0];
}

TEST(HostConfiguration, BooleansHaveTwoWords) {
    for (const std::string other : {"yes", "no", "1", "0", "True", "on"}) {
        EXPECT_EQ(issues_with({"sata.write_cache=" + other}),
                  Texts{"--set: sata.write_cache: found " + other + "; allowed: true or false"});
    }
    EXPECT_EQ(issues_with({"sata.write_cache=false"}), Texts{});
}

}  // namespace
}  // namespace solidtlm::platform
