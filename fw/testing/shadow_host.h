// SPDX-License-Identifier: Apache-2.0
//
// A host for firmware tests that knows what every read must return, and devices to test with it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "fw/gc/victim_policy.h"
#include "fw/runtime/frame_pool.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {

/// A host with a shadow model: one 64-bit identity per sector, in order of submission.
class ShadowHost {
  public:
    ShadowHost(FakeDevice& device, std::uint64_t seed)
        : device_(device), random_(seed), shadow_(device.config.exported_sectors) {}

    struct Mix {
        unsigned reads = 40;
        unsigned writes = 50;
        unsigned trims = 5;
        unsigned flushes = 2;
        unsigned cache_switches = 1;
        unsigned depth = 32;
        std::uint32_t max_sectors = 96;
        bool aligned = false;
    };

    void run(const Mix& mix, int commands) {
        keep_busy(mix, commands);
        device_.run();
    }
    /// Keeps the queue full until `commands` have been sent.
    void keep_busy(const Mix& mix, int commands) {
        mix_ = mix;
        left_ = commands;
        while (left_ > 0 && device_.host.outstanding() < mix_.depth) {
            issue();
        }
    }

    void write_everything() {
        const std::uint64_t sectors = shadow_.size();
        constexpr std::uint64_t kStep = 128;
        std::uint64_t next = 0;
        for (std::uint64_t at = 0; at < sectors; at += kStep) {
            write(at, static_cast<std::uint32_t>(std::min(kStep, sectors - at)), false);
            if (++next % 16 == 0) {
                device_.run();
            }
        }
        device_.run();
    }

    /// As write_everything(), until the write buffer is empty.
    void write_everything_to_flash() {
        write_everything();
        simple(hal::HostOpcode::flush, false);
        device_.run();
    }

    void read_everything() {
        for (std::uint64_t at = 0; at < shadow_.size(); at += 200) {
            read(at, static_cast<std::uint32_t>(std::min<std::uint64_t>(200, shadow_.size() - at)), false);
            device_.run();
        }
    }

    void write(std::uint64_t lba, std::uint32_t sectors, bool fua) {
        auto issued = make(hal::HostOpcode::write, lba, sectors, fua);
        issued->completed = [this, first = next_identity_, sectors](FakeHost::Issued& done) {
            for (std::uint32_t i = 0; i < sectors && done.status != hal::HostStatus::ok; ++i) {
                unwritten_.insert(first + i);
            }
            finish(done);
        };
        for (std::uint32_t i = 0; i < sectors; ++i) {
            const std::uint64_t identity = next_identity_++;
            shadow_[lba + i] = identity;
            issued->set_identity(i, identity);
        }
        device_.host.submit(std::move(issued));
    }

    void read(std::uint64_t lba, std::uint32_t sectors, bool fua) {
        auto issued = make(hal::HostOpcode::read, lba, sectors, fua);
        const auto first = shadow_.begin() + static_cast<std::ptrdiff_t>(lba);
        std::vector<std::uint64_t> expected(first, first + sectors);
        issued->completed = [this, lba, expected = std::move(expected)](FakeHost::Issued& done) {
            for (std::size_t i = 0; i < expected.size() && done.status == hal::HostStatus::ok; ++i) {
                const bool unknown =
                    expected[i] == 0 ? untrimmed_.contains(lba + i) : unwritten_.contains(expected[i]);
                const bool wrong = done.identity(i) != expected[i] && !unknown;
                mismatches += wrong ? 1 : 0;
            }
            finish(done);
        };
        device_.host.submit(std::move(issued));
    }

    void trim(std::vector<hal::TrimRange> ranges) {
        auto issued = make(hal::HostOpcode::trim, 0, 0, false);
        const std::uint64_t unit = device_.config.unit_bytes / 512;
        for (const hal::TrimRange& range : ranges) {
            for (std::uint64_t i = 0; i < range.sectors; ++i) {
                const std::uint64_t sector = range.lba.value + i;
                const bool whole = sector / unit * unit >= range.lba.value &&
                                   sector / unit * unit + unit <= range.lba.value + range.sectors;
                if (whole || device_.config.zero_partial_trim) {
                    shadow_[sector] = 0;
                }
            }
        }
        issued->ranges = std::move(ranges);
        issued->completed = [this](FakeHost::Issued& done) {
            for (const hal::TrimRange& range : done.ranges) {
                for (std::uint64_t i = 0; i < range.sectors && done.status != hal::HostStatus::ok; ++i) {
                    untrimmed_.insert(range.lba.value + i);
                }
            }
            finish(done);
        };
        device_.host.submit(std::move(issued));
    }

    void simple(hal::HostOpcode opcode, bool enable) {
        auto issued = make(opcode, 0, 0, false);
        issued->command.enable = enable;
        device_.host.submit(std::move(issued));
    }

    std::uint64_t mismatches = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t submitted = 0;
    std::int64_t worst_residual_ps = 0;
    std::function<void(hal::HostOpcode)> ended;  ///< called at every completion, if set

  private:
    std::unique_ptr<FakeHost::Issued> make(hal::HostOpcode opcode, std::uint64_t lba, std::uint32_t sectors,
                                           bool fua) {
        auto issued = FakeHost::make(opcode, lba, sectors);
        issued->command.fua = fua;
        issued->completed = [this](FakeHost::Issued& done) { finish(done); };
        ++submitted;
        return issued;
    }

    void finish(const FakeHost::Issued& done) {
        ++completed;
        if (ended) {
            ended(done.command.opcode);
        }
        failed += done.status != hal::HostStatus::ok ? 1 : 0;
        const auto residual = (done.latency - done.ledger.total()).count();
        worst_residual_ps = std::max(worst_residual_ps, std::abs(residual));
        for (std::size_t stage = 0; stage < hal::kStages; ++stage) {
            EXPECT_GE(done.ledger[static_cast<Stage>(stage)].count(), 0) << hal::kStageNames[stage];
        }
        if (left_ > 0) {
            issue();
        }
    }

    void issue() {
        --left_;
        const std::uint64_t unit = mix_.aligned ? device_.config.unit_bytes / 512 : 1;
        const std::uint64_t length =
            std::max<std::uint64_t>(1, (1 + random_() % mix_.max_sectors) / unit) * unit;
        const std::uint64_t span = std::min<std::uint64_t>(length, shadow_.size());
        const std::uint64_t lba = random_() % (shadow_.size() - span + 1) / unit * unit;
        const auto sectors = static_cast<std::uint32_t>(span);
        unsigned pick = static_cast<unsigned>(
            random_() % (mix_.reads + mix_.writes + mix_.trims + mix_.flushes + mix_.cache_switches));
        const bool fua = random_() % 20 == 0;
        if (pick < mix_.reads) {
            read(lba, sectors, fua);
        } else if ((pick -= mix_.reads) < mix_.writes) {
            write(lba, sectors, fua);
        } else if ((pick -= mix_.writes) < mix_.trims) {
            std::vector<hal::TrimRange> ranges;
            const std::uint64_t count_of_ranges = 1 + random_() % 70;
            for (std::uint64_t i = 0; i < count_of_ranges; ++i) {
                const std::uint64_t at = random_() % shadow_.size();
                const std::uint64_t count = std::min<std::uint64_t>(1 + random_() % 300, shadow_.size() - at);
                ranges.push_back(hal::TrimRange{hal::Lba{at}, static_cast<std::uint32_t>(count)});
            }
            trim(std::move(ranges));
        } else if ((pick -= mix_.trims) < mix_.flushes) {
            simple(hal::HostOpcode::flush, false);
        } else {
            simple(hal::HostOpcode::set_write_cache, random_() % 2 == 0);
        }
    }

    FakeDevice& device_;
    std::mt19937_64 random_;
    std::vector<std::uint64_t> shadow_;
    std::uint64_t next_identity_ = 1;
    std::set<std::uint64_t> unwritten_;  // identities of writes that failed: reads may return older ones
    std::set<std::uint64_t> untrimmed_;  // sectors of TRIMs that failed: reads may return what they had
    Mix mix_;
    int left_ = 0;
};

/// Checks that every command ended, no data was lost, and the tables agree.
inline void expect_sound(FakeDevice& device, const ShadowHost& host) {
    EXPECT_EQ(host.completed, host.submitted) << "a command was lost: the device stalled";
    EXPECT_EQ(host.mismatches, 0U);
    EXPECT_EQ(host.worst_residual_ps, 0);
    EXPECT_TRUE(device.flash.violations.empty()) << device.flash.violations.front();
    EXPECT_EQ(device.firmware->check(), "");
}

/// Writes everything, then `commands` drawn commands, and reads everything back; no command may fail and no
/// data may be lost. Returns the device's metrics.
inline hal::Metrics serve(const FirmwareConfig& config, std::uint64_t seed, int commands,
                          const std::function<void(FakeFlash&)>& prepare = {}) {
    FakeDevice device(config, seed, prepare);
    ShadowHost host(device, seed);
    host.write_everything();
    host.run(ShadowHost::Mix{}, commands);
    host.read_everything();
    expect_sound(device, host);
    EXPECT_EQ(host.failed, 0U);
    EXPECT_FALSE(device.firmware->translation().read_only());
    return device.firmware->metrics();
}

/// Variants of the tiny device; each random seed picks one.
inline FirmwareConfig variant(std::uint64_t seed) {
    FirmwareConfig config = tiny_config();
    std::mt19937_64 random(seed * 7919);
    const char* orders[] = {"PCWD", "CWDP", "WPCD", "PDWC", "DCPW", "PWCD"};
    config.allocation.order = orders[random() % 6];
    config.allocation.mode = random() % 2 == 0 ? AllocationMode::dynamic : AllocationMode::static_address;
    config.allocation.striping = random() % 4 == 0 ? StripingMode::none : StripingMode::full;
    config.gc.policy = gc_policies()[random() % gc_policies().size()]->name;
    config.gc.copy_back = random() % 3 == 0;
    config.gc.pipeline_depth = 1 + static_cast<std::uint32_t>(random() % 3);
    config.flash.channels = 1 + static_cast<std::uint32_t>(random() % 2);
    config.flash.dies = 1 + static_cast<std::uint32_t>(random() % 2);
    config.gc.foreground_threshold = 1 + static_cast<std::uint32_t>(random() % 2);
    config.gc.background_threshold =
        config.gc.foreground_threshold + 1 + static_cast<std::uint32_t>(random() % 2);
    config.wear.dynamic = random() % 2 == 0;
    config.wear.static_threshold = random() % 3 == 0 ? 4 : 0;
    config.write_buffer.policy =
        random() % 4 == 0 ? WriteCachePolicy::write_through : WriteCachePolicy::write_back;
    config.write_buffer.idle_flush = random() % 3 == 0 ? Ps{2'000'000'000} : Ps{0};
    config.zero_partial_trim = random() % 2 == 0;
    config.unit_bytes = random() % 3 == 0 ? 8192 : random() % 3 == 0 ? 2048 : 4096;
    config.write_buffer.admission = random() % 3 == 0 ? WriteAdmission::even : WriteAdmission::burst;
    export_everything(config);
    if (random() % 3 == 0) {
        config.read_cache.size_bytes = 256ULL << 10;
        config.read_cache.ahead_bytes = std::uint64_t{config.flash.page_bytes} << random() % 3;  // any unit
        config.read_cache.streams = 1 + static_cast<std::uint32_t>(random() % 2);
        config.read_cache.trigger = 1 + static_cast<std::uint32_t>(random() % 2);
    }
    return config;
}

/// Marks twelve random blocks of a device of tiny_config() as bad from the factory.
inline void mark_factory_bad_blocks(FakeFlash& flash) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 12; ++i) {
        const hal::FlashAddress block{hal::Channel{static_cast<std::uint16_t>(random() % 2)},
                                      hal::Die{static_cast<std::uint16_t>(random() % 2)},
                                      hal::Plane{static_cast<std::uint8_t>(random() % 2)},
                                      hal::Block{static_cast<std::uint32_t>(random() % 16)}, hal::Page{0}};
        flash.bad_blocks[block] = true;
    }
}

/// Programs and erases of a device fail now and then, and it has blocks to lose; no data may be lost. Returns
/// the device's metrics.
inline hal::Metrics grow_bad_blocks(const FirmwareConfig& config, double program_failure,
                                    double erase_failure, int commands) {
    return serve(config, 11, commands, [=](FakeFlash& flash) {
        flash.program_failure = program_failure;
        flash.erase_failure = erase_failure;
    });
}

/// As grow_bad_blocks(), but the device may take no more writes. Only then may commands fail, and what it has
/// acknowledged stays.
inline void keep_what_was_acknowledged(const FirmwareConfig& config, double program_failure,
                                       double erase_failure, int commands) {
    FakeDevice device(config, 11, [=](FakeFlash& flash) {
        flash.program_failure = program_failure;
        flash.erase_failure = erase_failure;
    });
    ShadowHost host(device, 11);
    host.write_everything();
    host.run(ShadowHost::Mix{}, commands);
    host.read_everything();
    expect_sound(device, host);
    EXPECT_FALSE(device.firmware->translation().lost_writes());
    EXPECT_TRUE(host.failed == 0 || device.firmware->translation().read_only());
}

/// Erases of a device fail until it takes no more writes: writes then fail, but every command ends.
inline void wear_out(const FirmwareConfig& config, unsigned reads, int commands) {
    FakeDevice device(config, 9, [](FakeFlash& flash) { flash.erase_failure = 0.3; });
    ShadowHost host(device, 9);
    host.write_everything();
    host.run(ShadowHost::Mix{reads, 95 - reads, 0, 5, 0, 32, 64, false}, commands);
    EXPECT_EQ(host.completed, host.submitted);
    EXPECT_GT(host.failed, 0U);
    EXPECT_TRUE(device.firmware->translation().read_only());
    EXPECT_EQ(host.worst_residual_ps, 0);
    EXPECT_TRUE(device.flash.violations.empty()) << device.flash.violations.front();
    EXPECT_EQ(device.firmware->check(), "");
}

/// Runs `events` events of a full device with a full queue, then destroys its firmware: every frame must be
/// destroyed exactly once (which ASan checks), and no command may complete meanwhile.
inline void cut_power_after(const FirmwareConfig& config, int events) {
    SCOPED_TRACE(events);
    const std::size_t frames = FramePool::frames();
    FakeDevice device(config, 2);
    ShadowHost host(device, 2);
    host.write_everything();
    host.keep_busy(ShadowHost::Mix{}, events + 1000);
    for (int i = 0; i < events; ++i) {
        ASSERT_TRUE(device.clock.run_one());
    }
    ASSERT_GT(device.host.outstanding(), 0U);
    ASSERT_GT(FramePool::frames(), frames);
    const std::uint64_t completed = host.completed;
    device.firmware.reset();
    EXPECT_EQ(FramePool::frames(), frames);
    EXPECT_EQ(host.completed, completed);
    EXPECT_EQ(host.mismatches, 0U);
    EXPECT_TRUE(device.flash.violations.empty()) << device.flash.violations.front();
}

/// The page of flash that holds a logical page.
inline hal::FlashAddress page_of(const FakeDevice& device, Lpn lpn) {
    const MediaLayout& layout = device.firmware->layout();
    const Ppa place = device.firmware->translation().locate(lpn);
    return layout.address(layout.superpage_of(place), layout.page_of(layout.slot_of(place)));
}

}  // namespace solidtlm::fw::testing
