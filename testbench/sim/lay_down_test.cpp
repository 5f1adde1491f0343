// SPDX-License-Identifier: Apache-2.0
//
// Drives that are laid down instead of written. A described drive is what its description says, a boot finds
// the same, and it runs on. A fill that is laid down is that of the firmware, to the picosecond of the run
// after it.
#include <gtest/gtest.h>

#include <sstream>

#include "fw/needs.h"
#include "platform/lay_down_rules.h"
#include "testbench/sim/age/ageing.h"
#include "testbench/sim/age/bulk_fill.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/scan_check.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

/// A drive at simulated time 0.
struct Drive {
    Drive(const std::string& name, const platform::Configuration& configuration)
        : ssd(name.c_str(), configuration),
          verifier({.content = configuration.content, .sectors = configuration.firmware.exported_sectors}) {}

    [[nodiscard]] const fw::Firmware& firmware() const { return ssd.firmware(); }
    [[nodiscard]] std::uint32_t erases(const fw::SuperpageAddress& at) const {
        const hal::FlashAddress page = firmware().layout().address(at, 0);
        return ssd.channel(page.channel.value).array(page.die).erase_count(page);
    }

    platform::Ssd ssd;
    Verifier verifier;
};

/// The first difference between what two drives hold, or an empty text: map, spare areas and erase counts.
std::string compare(const Drive& a, const Drive& b) {
    const fw::MediaLayout& layout = a.firmware().layout();
    for (std::uint32_t lpn = 0; lpn < layout.exported_units(); ++lpn) {
        if (a.firmware().translation().locate(fw::Lpn{lpn}) !=
            b.firmware().translation().locate(fw::Lpn{lpn})) {
            return fmt::format("LPN {}", lpn);
        }
    }
    const std::uint32_t superpages = layout.pus() * layout.superblocks() * layout.pages();
    for (std::uint32_t superpage = 0; superpage < superpages; ++superpage) {
        const fw::SuperpageAddress at =
            layout.superpage_of(fw::Ppa{superpage * layout.units_per_superpage()});
        for (std::uint32_t number = 0; number < layout.pages_per_superpage(); ++number) {
            const hal::FlashAddress page = layout.address(at, number);
            const auto first = a.ssd.channel(page.channel.value).array(page.die).metadata(page);
            const auto second = b.ssd.channel(page.channel.value).array(page.die).metadata(page);
            if (!std::ranges::equal(first, second)) {
                return fmt::format("parallel unit {} superblock {} page {}", at.pu.value, at.superblock.value,
                                   at.page);
            }
        }
        if (a.erases(at) != b.erases(at)) {
            return fmt::format("erases of parallel unit {} superblock {}", at.pu.value, at.superblock.value);
        }
    }
    if (a.firmware().free_superblocks() != b.firmware().free_superblocks()) {
        return "free superblocks";
    }
    return {};
}

/// A boot that finds its state on the flash of `drive`, without time.
void boot(Drive& drive, Drive& booted) {
    std::stringstream file;
    drive.ssd.save(file);
    booted.ssd.load(file, platform::Start::boot_instant, {});
}

/// In each parallel unit superblock 0 is closed and superblock 1 open after its first page, each with data in
/// every second unit; the others are free and were erased twice.
class HalfValid final : public fw::AgedFlash {
  public:
    explicit HalfValid(const fw::MediaLayout& layout) : layout_(layout) {}

    bool next(fw::AgedSuperblock& superblock) override {
        const std::uint32_t superblocks = layout_.superblocks();
        if (next_ == layout_.pus() * superblocks) {
            return false;
        }
        superblock = {};
        superblock.pu = fw::Pu{next_ / superblocks};
        superblock.superblock = fw::Superblock{next_ % superblocks};
        ++next_;
        superblock.erases = 2;
        if (superblock.superblock.value < 2) {
            const bool closed = superblock.superblock.value == 0;
            superblock.state = closed ? fw::BlockState::closed : fw::BlockState::open;
            superblock.stream = closed ? fw::Stream::gc : fw::Stream::host;
            superblock.erases = closed ? 5 : 3;
            for (std::uint32_t page = 0; page < (closed ? layout_.pages() : 1); ++page) {
                superblock.sequences.push_back(++sequence_);
                for (std::uint32_t unit = 0; unit < layout_.units_per_superpage(); ++unit) {
                    superblock.names.push_back(unit % 2 == 0 ? fw::Lpn{lpn_++} : fw::kNoLpn);
                }
            }
        }
        return true;
    }
    void content(fw::Lpn lpn, std::span<std::byte> unit) override {
        for (std::size_t sector = 0; sector < unit.size() / 8; ++sector) {
            const std::uint64_t tag = 1000 * lpn.value + sector + 1;
            std::memcpy(unit.data() + sector * 8, &tag, sizeof tag);
        }
    }

    std::uint32_t lpn_ = 0;  ///< units that hold data

  private:
    const fw::MediaLayout layout_;
    std::uint32_t next_ = 0;
    std::uint64_t sequence_ = 100;
};

/// Writes LPN 0 and flushes, then reads the `units` after it.
class WriteAndRead : public hw::UntimedFeed {
  public:
    WriteAndRead(std::uint32_t unit_sectors, std::uint32_t units) : sectors_(unit_sectors), units_(units) {}
    bool next(hal::HostCommand& command, const hw::UntimedStatistics& /*so_far*/) override {
        command.opcode = number_ == 0   ? hal::HostOpcode::write
                         : number_ == 1 ? hal::HostOpcode::flush
                                        : hal::HostOpcode::read;
        command.lba = hal::Lba{number_ < 2 ? 0 : std::uint64_t{number_ - 1} * sectors_};
        command.sectors = number_ == 1 ? 0 : sectors_;
        return number_++ < units_ + 2;
    }
    void content(const hal::HostCommand& /*command*/, std::uint32_t /*first*/,
                 std::span<std::byte> /*sectors*/) override {}
    void received(const hal::HostCommand& command, std::uint32_t first,
                  std::span<const std::byte> sectors) override {
        std::uint64_t tag = 0;
        std::memcpy(&tag, sectors.data(), sizeof tag);
        right_ += tag == 1000 * (command.lba.value / sectors_) + first + 1 ? 1 : 0;
    }

    std::uint32_t right_ = 0;

  private:
    std::uint32_t sectors_;
    std::uint32_t units_;
    std::uint32_t number_ = 0;
};

TEST(LayDown, ADescribedDriveIsWhatItsDescriptionSays) {
    const platform::Configuration configuration = preset("tiny", {});
    Drive drive("ssd", configuration);
    HalfValid flash(fw::media_layout(configuration.firmware));
    const std::uint32_t sectors = configuration.firmware.unit_bytes / 512;
    constexpr std::uint32_t kRead = 20;
    WriteAndRead feed(sectors, kRead);
    drive.ssd.age(feed, &flash);
    const fw::Firmware& firmware = drive.firmware();
    const fw::MediaLayout& layout = firmware.layout();
    const std::uint32_t superpage = layout.units_per_superpage();
    EXPECT_EQ(firmware.check(), "");
    EXPECT_EQ(flash.lpn_, layout.pus() * (layout.pages() + 1) * superpage / 2);
    EXPECT_EQ(feed.right_, kRead) << "contents of LPN 1 and on";
    EXPECT_EQ(firmware.free_superblocks(), layout.pus() * (layout.superblocks() - 2));
    // Parallel unit 0: page p of superblock 0 has LPN p * superpage / 2 + i in unit 2 i.
    EXPECT_EQ(firmware.translation().locate(fw::Lpn{superpage + 1}),
              layout.ppa({fw::Pu{0}, fw::Superblock{0}, 2}, 2));
    EXPECT_EQ(drive.erases({fw::Pu{1}, fw::Superblock{0}, 0}), 5U);
    EXPECT_EQ(drive.erases({fw::Pu{1}, fw::Superblock{1}, 0}), 3U);
    EXPECT_EQ(drive.erases({fw::Pu{1}, fw::Superblock{2}, 0}), 2U);
    // The host goes on in the open superblock of the first parallel unit, with the next sequence number.
    const fw::Ppa written = firmware.translation().locate(fw::Lpn{0});
    const fw::SuperpageAddress expected{layout.stripe(0), fw::Superblock{1}, 1};
    EXPECT_EQ(layout.superpage_of(written), expected);
    const hal::FlashAddress page = layout.address(expected, 0);
    const fw::SpareHeader header =
        fw::decode_header(drive.ssd.channel(page.channel.value).array(page.die).metadata(page));
    EXPECT_EQ(header.sequence, 100U + layout.pus() * (layout.pages() + 1) + 1);
    EXPECT_EQ(header.erases, 3U);

    EXPECT_EQ(compare_with_scan(drive.ssd, false), "");
    Drive booted("booted", configuration);
    boot(drive, booted);
    EXPECT_EQ(booted.firmware().check(), "");
    EXPECT_EQ(compare(drive, booted), "");
}

struct Shape {
    const char* name;
    const char* preset;
    std::vector<std::string> settings;
    const char* spec = "fill=1,random=0";
};

void PrintTo(const Shape& shape, std::ostream* out) {
    *out << shape.name;
}

/// A drive that takes as much at once as the host brings.
platform::Configuration wide(const Shape& shape) {
    std::vector<std::string> settings = shape.settings;
    if (std::string(shape.preset) == "tiny") {
        settings.insert(settings.begin(), {"nand.geometry.channels=4", "nand.geometry.dies=4",
                                           "firmware.write_buffer.size=1MiB", "dram.size=32MiB"});
    }
    return preset(shape.preset, settings);
}

class Fill : public ::testing::TestWithParam<Shape> {
  protected:
    [[nodiscard]] static Preconditioning preconditioning(bool laid_down) {
        Preconditioning spec = parse_preconditioning(GetParam().spec);
        spec.laid_down = laid_down;
        return spec;
    }
};

TEST_P(Fill, LaysDownWhatTheFirmwareWrites) {
    const platform::Configuration configuration = wide(GetParam());
    Drive written("written", configuration);
    Drive laid("laid", configuration);
    ASSERT_FALSE(why_not_filled_in_bulk(configuration, 256));
    EXPECT_GT(BulkFill(configuration, laid.verifier, configuration.firmware.exported_sectors, 256).commands(),
              0U);
    const AgeingReport first = age(written.ssd, preconditioning(false), written.verifier, ProgressMode::off);
    const AgeingReport second = age(laid.ssd, preconditioning(true), laid.verifier, ProgressMode::off);
    EXPECT_EQ(second.programs, first.programs);
    EXPECT_EQ(second.host_bytes, first.host_bytes);
    EXPECT_EQ(second.erases, first.erases);
    EXPECT_EQ(compare(laid, written), "");
    EXPECT_EQ(laid.firmware().check(), "");
    EXPECT_EQ(compare_with_scan(laid.ssd, false), "");
    Drive booted("booted", configuration);
    boot(laid, booted);
    EXPECT_EQ(booted.firmware().check(), "");
    EXPECT_EQ(compare(laid, booted), "");
}

TEST_P(Fill, RunsOnToThePicosecond) {
    std::vector<PointJob> jobs;
    for (const bool laid_down : {false, true}) {
        jobs.push_back({laid_down ? "laid" : "written", [laid_down] {
                            RunSpec run = run_of(wide(GetParam()));
                            run.precondition = preconditioning(laid_down);
                            RandomMix::Shares shares;
                            shares.requests = 1000;
                            shares.fill = false;
                            RandomMix source(7, run.configuration.firmware.exported_sectors, shares);
                            return simulate(run, source, ClosedLoop(8));
                        }});
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    EXPECT_EQ(outcomes[0].outcome.faults, std::vector<std::string>{});
    EXPECT_EQ(outcomes[1].outcome.faults, std::vector<std::string>{});
    EXPECT_TRUE(without_wall_times(outcomes[0].outcome.result).dump() ==
                without_wall_times(outcomes[1].outcome.result).dump());
}

INSTANTIATE_TEST_SUITE_P(
    Drives, Fill,
    ::testing::Values(
        Shape{"Tiny", "tiny", {}}, Shape{"Half", "tiny", {}, "fill=0.5,random=0"},
        Shape{"Aged", "tiny", {}, "fill=1,random=1,pattern=hotcold"},
        Shape{"ChannelsFirst", "tiny", {"firmware.allocation.order=CWDP"}},
        Shape{"SmallUnits", "tiny", {"firmware.unit=2KiB"}},
        Shape{"LargeUnits", "tiny", {"firmware.unit=8KiB"}}, Shape{"Bytes", "tiny", {"content=bytes"}},
        Shape{"NoContents", "tiny", {"content=none"}},
        Shape{"IdleFlush", "tiny", {"firmware.write_buffer.idle_flush=1ms"}},
        Shape{"EvenAdmission", "tiny", {"firmware.write_buffer.admission=even"}},
        Shape{
            "Paced",
            "tiny",
            {"firmware.gc.pacing=paced", "firmware.gc.background_threshold=5", "ssd.over_provisioning=0.5"}},
        Shape{"RandomVictims", "tiny", {"firmware.gc.policy=random"}},
        Shape{"IdleCollection", "tiny", {"firmware.gc.idle_threshold=8"}},
        Shape{"Patrol", "tiny", {"firmware.reliability.patrol=1ms"}},
        Shape{"TrimLog", "tiny", {"firmware.trim.persist=journal"}},
        Shape{
            "ThreeRows",
            "tiny",
            {"nand.cell=tlc", "nand.programming=one_shot", "nand.timing.read=[\"50us\", \"60us\", \"70us\"]",
             "nand.geometry.pages=48", "ssd.over_provisioning=0.5"}},
        Shape{"Nvme", "tiny", {"host.interface=nvme"}},
        Shape{"LargeBuffer", "tiny", {"firmware.write_buffer.size=8MiB"}},
        Shape{"Default",
              "default",
              {"nand.geometry.blocks=12", "nand.geometry.pages=64", "ssd.over_provisioning=0.5"}},
        Shape{"Tlc",
              "tlc",
              {"nand.geometry.blocks=12", "nand.geometry.pages=96", "firmware.slc_cache.mode=none",
               "ssd.over_provisioning=0.5"}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(LayDown, RefusalsNameTheKey) {
    const auto key = [](std::vector<std::string> settings) {
        const auto refusal = why_not_filled_in_bulk(wide({"", "tiny", std::move(settings)}), 256);
        return refusal ? std::string(refusal->key) : std::string();
    };
    EXPECT_EQ(key({}), "");
    EXPECT_EQ(key({"firmware.translation=fast"}), "firmware.translation");
    EXPECT_EQ(key({"firmware.map_cache.policy=dftl"}), "firmware.map_cache.policy");
    EXPECT_EQ(key({"firmware.dedup.system=online"}), "firmware.dedup.system");
    EXPECT_EQ(key({"nand.slc.read=20us", "nand.slc.program=150us", "firmware.slc_cache.mode=dynamic",
                   "firmware.slc_cache.size=1MiB", "nand.cell=mlc", "ssd.over_provisioning=0.5"}),
              "firmware.slc_cache.mode");
    EXPECT_EQ(key({"firmware.reliability.parity_dies=2", "ssd.over_provisioning=0.6"}),
              "firmware.reliability.parity_dies");
    EXPECT_EQ(
        key({"nand.slc.read=20us", "nand.slc.program=150us", "nand.cell=mlc", "nand.power_cut=word_line",
             "firmware.word_lines.protect=backup", "ssd.over_provisioning=0.6"}),
        "firmware.word_lines.protect");
    EXPECT_EQ(key({"nand.cell=tlc", "nand.power_cut=word_line", "nand.geometry.pages=48",
                   "firmware.word_lines.protect=pad", "ssd.over_provisioning=0.5"}),
              "firmware.word_lines.protect");
    EXPECT_EQ(key({"firmware.recovery.checkpoint_interval=512KiB"}), "firmware.recovery.checkpoint_interval");
    EXPECT_EQ(key({"nand.geometry.die_blocks=\"16, 16, 16, 14\""}), "nand.geometry.die_blocks");
    EXPECT_EQ(key({"faults.program_failure=0.001"}), "faults");
    EXPECT_EQ(key({"nand.bad_blocks.factory_fraction=0.02", "ssd.over_provisioning=0.5"}),
              "nand.bad_blocks.factory_fraction");
    EXPECT_EQ(key({"firmware.allocation.mode=static"}), "firmware.allocation.mode");
    EXPECT_EQ(key({"firmware.allocation.striping=none"}), "firmware.allocation.striping");
    EXPECT_EQ(key({"firmware.write_buffer.policy=write_through"}), "firmware.write_buffer.policy");
    EXPECT_EQ(key({"sata.write_cache=false"}), "sata.write_cache, nvme.write_cache");
    EXPECT_EQ(key({"firmware.allocation.programs_per_die=1"}), "firmware.allocation.programs_per_die");
    EXPECT_EQ(key({"firmware.write_buffer.size=512KiB"}), "firmware.write_buffer.size");
    EXPECT_EQ(key({"nand.geometry.planes=5"}), "nand.geometry.planes");
    EXPECT_EQ(key({"firmware.wear.static_threshold=4"}), "firmware.wear.static_threshold");
}

}  // namespace
}  // namespace solidtlm::testbench
