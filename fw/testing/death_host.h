// SPDX-License-Identifier: Apache-2.0
//
// A host that writes until the drive takes no more, and knows what every sector may then hold.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {

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

    /// Reads everything. `cut`: power was lost since the last write; what is found then is on flash.
    void check(bool cut) {
        for (std::uint64_t at = 0; at < sectors_.size(); at += 64) {
            const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(64, sectors_.size() - at));
            auto issued = FakeHost::make(hal::HostOpcode::read, at, count);
            issued->completed = [this, at, count, cut](FakeHost::Issued& done) {
                ++ended;
                EXPECT_EQ(done.status, hal::HostStatus::ok);
                for (std::uint32_t i = 0; i < count; ++i) {
                    lost += allowed(sectors_[at + i], done.identity(i), cut) ? 0 : 1;
                    if (cut) {
                        sectors_[at + i].assign(1, Version{done.identity(i), true, true});
                    }
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

}  // namespace solidtlm::fw::testing
