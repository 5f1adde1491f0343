// SPDX-License-Identifier: Apache-2.0
//
// A host for tests of power cuts. It records for each sector what it may hold after a cut: the newest version
// acknowledged as durable (FUA, write-through, flushed), or any version sent later.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {

/// Runs this many events, or until no work is left.
inline void run_events(FakeDevice& device, std::uint64_t events) {
    for (std::uint64_t i = 0; i < events && device.clock.run_one(); ++i) {
    }
}

class PowerHost {
  public:
    PowerHost(FakeDevice& device, std::uint64_t seed)
        : device_(device), random_(seed), sectors_(device.config.exported_sectors, Sector{Version{}}) {}

    /// From now on `percent` of the writes have repeated contents: whole units of one of `kinds` are equal.
    void repeat_contents(unsigned percent, std::uint64_t kinds) {
        repeat_percent_ = percent;
        kinds_ = kinds;
    }

    void write(std::uint64_t lba, std::uint32_t count, bool fua) {
        const bool repeats = repeat_percent_ > 0 && random_() % 100 < repeat_percent_;
        write_kind(lba, count, fua, repeats ? 1 + random_() % kinds_ : 0);
    }
    /// Whole units of one kind are equal; 0: contents that occur nowhere else.
    void write_kind(std::uint64_t lba, std::uint32_t count, bool fua, std::uint64_t kind) {
        auto issued = FakeHost::make(hal::HostOpcode::write, lba, count);
        issued->command.fua = fua;
        const std::uint64_t number = next_number_++;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t identity = kind != 0 ? repeated(kind, lba + i) : number * 4096 + i;
            sectors_[lba + i].push_back(Version{identity, number});
            issued->set_identity(i, identity);
        }
        const bool durable = fua || device_.config.write_buffer.policy == WriteCachePolicy::write_through;
        submit(std::move(issued), [this, lba, count, number, durable] {
            changed(Change{number, {{hal::Lba{lba}, count}}}, durable);
        });
    }

    void trim(std::vector<hal::TrimRange> ranges) {
        auto issued = FakeHost::make(hal::HostOpcode::trim);
        const std::uint64_t number = next_number_++;
        const std::uint64_t unit = device_.config.unit_bytes / 512;
        for (const hal::TrimRange& range : ranges) {
            for (std::uint64_t at = range.lba.value; at < range.lba.value + range.sectors; ++at) {
                const bool whole = at / unit * unit >= range.lba.value &&
                                   at / unit * unit + unit <= range.lba.value + range.sectors;
                if (whole || device_.config.zero_partial_trim) {
                    // A part of a unit that was trimmed already is not written.
                    const bool lazy = trims_are_lazy() && (whole || sectors_[at].back().lazy_trim);
                    sectors_[at].push_back(Version{0, number, lazy});
                }
            }
        }
        issued->ranges = ranges;
        submit(std::move(issued), [this, number, ranges] {
            changed(Change{number, ranges}, trims_are_immediate());
        });
    }

    void flush() {
        submit(FakeHost::make(hal::HostOpcode::flush), [this, ended = unsafe_] {
            for (const Change& change : ended) {
                make_durable(change);
            }
        });
    }

    /// Sends one random command of any kind, half of them aligned to units.
    void issue() {
        const std::uint64_t unit = random_() % 2 == 0 ? device_.config.unit_bytes / 512 : 1;
        const std::uint64_t all = sectors_.size();
        const std::uint64_t count = std::max<std::uint64_t>(1, (1 + random_() % 64) / unit) * unit;
        const std::uint64_t span = random_() % 2 == 0 ? all : all / 8;  // an eighth is written often
        const std::uint64_t lba = random_() % (span - count + 1) / unit * unit;
        const std::uint64_t pick = random_() % 100;
        if (pick < 75) {
            write(lba, static_cast<std::uint32_t>(count), random_() % 16 == 0);
        } else if (pick < 85) {
            read(lba, static_cast<std::uint32_t>(count));
        } else if (pick < 94) {
            std::vector<hal::TrimRange> ranges;
            for (std::uint64_t i = 0; i <= random_() % 4; ++i) {
                const std::uint64_t at = random_() % all;
                const std::uint64_t length = std::min<std::uint64_t>(1 + random_() % 200, all - at);
                ranges.push_back({hal::Lba{at}, static_cast<std::uint32_t>(length)});
            }
            trim(std::move(ranges));
        } else {
            flush();
        }
    }
    /// Keeps `depth` commands outstanding until `commands` more have been sent.
    void keep_busy(int commands, std::size_t depth) {
        left_ = commands;
        depth_ = depth;
        refill();
    }

    void power_cut() {
        left_ = 0;
        unsafe_.clear();
        device_.cycle_power([](FakeHost::Issued&) {});
    }

    /// Reads everything. The data found is the only possible version from then on.
    void settle() {
        for (std::uint64_t at = 0; at < sectors_.size(); at += 64) {
            const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(64, sectors_.size() - at));
            auto issued = FakeHost::make(hal::HostOpcode::read, at, count);
            issued->completed = [this, at](FakeHost::Issued& done) { settle_sectors(at, done); };
            device_.host.submit(std::move(issued));
            device_.run();
        }
    }

    std::uint64_t mismatches = 0;
    std::uint64_t failed = 0;
    std::uint64_t completed = 0;
    std::string first_mismatch;
    std::set<std::uint64_t> mismatched;  ///< sectors

  private:
    struct Version {
        std::uint64_t identity = 0;
        std::uint64_t number = 0;
        bool lazy_trim = false;  ///< any earlier contents may come back
    };
    using Sector = std::vector<Version>;  // the oldest possible version first
    struct Change {
        std::uint64_t number;
        std::vector<hal::TrimRange> ranges;
    };

    [[nodiscard]] std::uint64_t repeated(std::uint64_t kind, std::uint64_t lba) const {
        return (kRepeated + kind) * 4096 + lba % (device_.config.unit_bytes / 512);
    }
    [[nodiscard]] bool trims_are_lazy() const {
        return device_.config.recovery.trims == TrimPersistence::lazy;
    }
    [[nodiscard]] bool trims_are_immediate() const {
        return device_.config.recovery.trims == TrimPersistence::immediate;
    }

    void submit(std::unique_ptr<FakeHost::Issued> issued, std::function<void()> ok) {
        issued->completed = [this, ok = std::move(ok)](FakeHost::Issued& done) {
            ++completed;
            if (done.status == hal::HostStatus::ok) {
                ok();
            } else {
                ++failed;
            }
            refill();
        };
        device_.host.submit(std::move(issued));
    }

    void refill() {
        while (left_ > 0 && device_.host.outstanding() < depth_) {
            --left_;
            issue();
        }
    }

    /// What a read returns while power lasts: the newest version sent before the read.
    void read(std::uint64_t lba, std::uint32_t count) {
        auto issued = FakeHost::make(hal::HostOpcode::read, lba, count);
        std::vector<Version> expected;
        for (std::uint32_t i = 0; i < count; ++i) {
            expected.push_back(sectors_[lba + i].back());
        }
        issued->completed = [this, lba, expected = std::move(expected)](FakeHost::Issued& done) {
            for (std::size_t i = 0; i < expected.size() && done.status == hal::HostStatus::ok; ++i) {
                check(done.identity(i) == expected[i].identity, lba + i, done.identity(i), "a read");
            }
            ++completed;
            refill();
        };
        device_.host.submit(std::move(issued));
    }

    void changed(Change change, bool durable) {
        if (durable) {
            make_durable(change);
        } else {
            unsafe_.push_back(std::move(change));
        }
    }

    void make_durable(const Change& change) {
        for (const hal::TrimRange& range : change.ranges) {
            for (std::uint64_t at = range.lba.value; at < range.lba.value + range.sectors; ++at) {
                Sector& sector = sectors_[at];
                const auto version = std::find_if(sector.begin(), sector.end(), [&change](const Version& v) {
                    return v.number == change.number;
                });
                if (version != sector.end() && !version->lazy_trim) {
                    sector.erase(sector.begin(), version);
                }
            }
        }
    }

    void settle_sectors(std::uint64_t lba, const FakeHost::Issued& done) {
        EXPECT_EQ(done.status, hal::HostStatus::ok);
        for (std::uint32_t i = 0; i < done.command.sectors; ++i) {
            Sector& sector = sectors_[lba + i];
            const std::uint64_t found = done.identity(i);
            const bool allowed = std::any_of(sector.begin(), sector.end(), [found](const Version& version) {
                return version.identity == found || version.lazy_trim;
            });
            check(allowed, lba + i, found, "after a power cut");
            sector.assign(1, Version{found, 0});
        }
    }

    void check(bool right, std::uint64_t lba, std::uint64_t found, const char* when) {
        if (!right) {
            mismatched.insert(lba);
        }
        if (!right && ++mismatches == 1) {
            first_mismatch = "LBA " + std::to_string(lba) + " held " + std::to_string(found / 4096) + "/" +
                             std::to_string(found % 4096) + " " + when + "; allowed:";
            for (const Version& version : sectors_[lba]) {
                first_mismatch += " " + std::to_string(version.identity / 4096);
            }
        }
    }

    static constexpr std::uint64_t kRepeated = 1'000'000'000;  // above all numbers of commands

    FakeDevice& device_;
    std::mt19937_64 random_;
    unsigned repeat_percent_ = 0;
    std::uint64_t kinds_ = 1;
    std::vector<Sector> sectors_;
    std::vector<Change> unsafe_;  // completed, but not known to be durable
    std::uint64_t next_number_ = 1;
    int left_ = 0;
    std::size_t depth_ = 1;
};

}  // namespace solidtlm::fw::testing
