// SPDX-License-Identifier: Apache-2.0
//
// Drives that are written until they wear out: acknowledged data reads back as long as power lasts, flushed
// data also after a power cut, and every command ends.
#include <gtest/gtest.h>

#include "fw/block_map/block_layer.h"
#include "fw/map_cache/cache_policy.h"
#include "fw/testing/deduplicating.h"
#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

/// Keeps track of every write.
class DeathHost {
  public:
    DeathHost(FakeDevice& device, std::uint64_t seed)
        : device_(device), random_(seed), sectors_(device.config.exported_sectors, Sector{Version{}}) {}

    void write(std::uint64_t lba, std::uint32_t count, bool fua) {
        auto issued = FakeHost::make(hal::HostOpcode::write, lba, count);
        issued->command.fua = fua;
        const std::uint64_t number = ++last_;
        const bool durable = fua || device_.config.write_buffer.policy == WriteCachePolicy::write_through;
        for (std::uint32_t i = 0; i < count; ++i) {
            sectors_[lba + i].push_back(Version{number, false, false});
            issued->set_identity(i, number);
        }
        issued->completed = [this, lba, count, number, durable](FakeHost::Issued& done) {
            ++ended;
            failed += done.status != hal::HostStatus::ok ? 1 : 0;
            EXPECT_TRUE(done.status == hal::HostStatus::ok || done.status == hal::HostStatus::write_fault);
            for (std::uint32_t i = 0; i < count && done.status == hal::HostStatus::ok; ++i) {
                for (Version& version : sectors_[lba + i]) {
                    version.acknowledged |= version.number == number;
                    version.durable |= version.number == number && durable;
                }
            }
        };
        submit(std::move(issued));
    }

    void flush() {
        auto issued = FakeHost::make(hal::HostOpcode::flush);
        std::vector<Sector> before = sectors_;
        issued->completed = [this, before = std::move(before)](FakeHost::Issued& done) {
            ++ended;
            failed_flushes += done.status != hal::HostStatus::ok ? 1 : 0;
            for (std::size_t at = 0; at < before.size() && done.status == hal::HostStatus::ok; ++at) {
                for (const Version& old : before[at]) {
                    for (Version& version : sectors_[at]) {
                        version.durable |= old.acknowledged && version.number == old.number;
                    }
                }
            }
        };
        submit(std::move(issued));
    }

    void trim(std::uint64_t lba, std::uint32_t count) {
        auto issued = FakeHost::make(hal::HostOpcode::trim);
        issued->ranges = {hal::TrimRange{hal::Lba{lba}, count}};
        for (std::uint64_t at = lba; at < lba + count; ++at) {
            sectors_[at].assign(1, Version{});
        }
        issued->completed = [this](FakeHost::Issued& /*done*/) { ++ended; };
        submit(std::move(issued));
    }

    /// Random writes and flushes until `failures` writes have failed, at most `commands`.
    void wear_out(std::uint64_t failures, int commands) {
        for (int i = 0; i < commands && failed < failures; ++i) {
            const std::uint64_t count = 1 + random_() % 64;
            write(random_() % (sectors_.size() - count + 1), static_cast<std::uint32_t>(count),
                  random_() % 32 == 0);
            if (random_() % 64 == 0) {
                flush();
            }
            while (device_.host.outstanding() >= 16 && device_.clock.run_one()) {
            }
        }
    }

    /// Reads everything. `cut`: power was lost since the last write.
    void check(bool cut) {
        for (std::uint64_t at = 0; at < sectors_.size(); at += 64) {
            const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(64, sectors_.size() - at));
            auto issued = FakeHost::make(hal::HostOpcode::read, at, count);
            issued->completed = [this, at, count, cut](FakeHost::Issued& done) {
                ++ended;
                EXPECT_EQ(done.status, hal::HostStatus::ok);
                for (std::uint32_t i = 0; i < count; ++i) {
                    lost += allowed(sectors_[at + i], done.identity(i), cut) ? 0 : 1;
                }
            };
            submit(std::move(issued));
            device_.run();
        }
    }

    std::uint64_t submitted = 0;
    std::uint64_t ended = 0;
    std::uint64_t failed = 0;
    std::uint64_t failed_flushes = 0;
    std::uint64_t lost = 0;  ///< sectors

  private:
    struct Version {
        std::uint64_t number = 0;
        bool acknowledged = true;
        bool durable = true;
    };
    using Sector = std::vector<Version>;

    /// True if the sector holds the last write that had to survive, or a later one that may have been carried
    /// out.
    static bool allowed(const Sector& sector, std::uint64_t found, bool cut) {
        for (auto version = sector.rbegin(); version != sector.rend(); ++version) {
            if (version->number == found) {
                return true;
            }
            if (cut ? version->durable : version->acknowledged) {
                return false;
            }
        }
        return false;
    }

    void submit(std::unique_ptr<FakeHost::Issued> issued) {
        ++submitted;
        device_.host.submit(std::move(issued));
    }

    FakeDevice& device_;
    std::mt19937_64 random_;
    std::vector<Sector> sectors_;
    std::uint64_t last_ = 0;
};

/// Every layer and every map, each with several seeds; the seed draws the other parameters.
FirmwareConfig mortal(std::uint64_t seed) {
    FirmwareConfig config = variant(seed);
    switch (seed % 4) {
        case 1:
            config.map_cache.policy = map_cache_policies()[seed / 4 % map_cache_policies().size()]->name;
            config.map_cache.size_bytes = 16ULL << 10;
            config.map_cache.translation_page_bytes = 512;
            export_everything(config);
            break;
        case 2:
            config = deduplicating(config, dedup_systems()[seed / 4 % dedup_systems().size()]->name,
                                   Ps{1'000'000'000});
            config.dedup.protection =
                config.dedup.online() ? DedupProtection::journal : DedupProtection::none;
            break;
        case 3:
            config.unit_bytes = config.flash.page_bytes;
            config.translation = *translation_layers()[seed / 4 % translation_layers().size()];
            export_everything(config);
            break;
        default:
            break;
    }
    config.exported_sectors = config.exported_sectors * 9 / 10 / 16 * 16;
    return config;
}

class WornOut : public ::testing::TestWithParam<int> {};

TEST_P(WornOut, ADriveKeepsAcknowledgedData) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    FakeDevice device(mortal(seed), seed, [seed](FakeFlash& flash) {
        flash.endurance = 1 + static_cast<std::uint32_t>(seed % 3);
    });
    DeathHost host(device, seed);
    host.wear_out(40, 20'000);
    device.run();
    ASSERT_EQ(host.ended, host.submitted) << "a command was lost";
    EXPECT_GE(host.failed, 40U);
    host.check(false);
    EXPECT_EQ(host.lost, 0U);
    host.flush();  // it may succeed or fail
    device.run();
    const bool accepts = !device.firmware->translation().read_only();  // overwriting has made room
    const std::uint64_t before = host.failed;
    host.write(0, 8, false);
    device.run();
    EXPECT_EQ(host.failed, before + (accepts ? 0 : 1));
    EXPECT_EQ(host.ended, host.submitted);
    host.check(false);
    EXPECT_EQ(host.lost, 0U);
    EXPECT_TRUE(device.flash.violations.empty()) << device.flash.violations.front();
    EXPECT_EQ(device.firmware->check(), "");
    if (device.firmware->translation().recoverable()) {
        device.cycle_power([](FakeHost::Issued&) {});
        device.run();
        host.ended = host.submitted = 0;
        host.check(true);
        EXPECT_EQ(host.lost, 0U) << "was flushed";
    }
}

// Erases fail until the drive takes no more writes, then they work again. Superblocks that TRIM empties are
// erased, the rest of the write buffer is written, and the drive takes writes again.
TEST_P(WornOut, ADriveThatIsTrimmedTakesWritesAgain) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    FakeDevice device(mortal(seed), seed, [](FakeFlash& flash) { flash.endurance = 1; });
    DeathHost host(device, seed);
    host.wear_out(1, 20'000);
    device.run();
    device.flash.endurance = 0;
    host.trim(0, static_cast<std::uint32_t>(device.config.exported_sectors));
    device.run();
    if (device.firmware->translation().read_only()) {
        GTEST_SKIP() << "map or log are worn out, or too many blocks are gone";
    }
    const std::uint64_t before = host.failed;
    const std::uint64_t flushes_before = host.failed_flushes;
    host.write(0, 64, false);
    host.flush();
    device.run();
    EXPECT_EQ(host.failed, before);
    EXPECT_EQ(host.failed_flushes, flushes_before);
    EXPECT_EQ(host.ended, host.submitted);
    host.check(false);
    EXPECT_EQ(host.lost, 0U);
    EXPECT_EQ(device.firmware->check(), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, WornOut, ::testing::Range(1, usual_or_sanitized(97, 13)));

}  // namespace
}  // namespace solidtlm::fw::testing
