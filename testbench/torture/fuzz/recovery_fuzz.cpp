// SPDX-License-Identifier: Apache-2.0
//
// Boots firmware on damaged flash. One byte chooses a drive; the rest is a list of changes to what its
// firmware had written (spare areas, pages of the recovery log, pages torn, missing or added), and then
// commands.
//
// After any changes the firmware boots, keeps its tables consistent, obeys the rules of the flash, and ends
// every command.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "fw/firmware.h"
#include "fw/hal/check.h"
#include "fw/hal/page_store.h"
#include "hw/nand/array.h"
#include "hw/untimed/untimed_hardware.h"
#include "platform/configuration.h"
#include "testbench/torture/fuzz/fuzz_target.h"

namespace solidtlm::fuzz {
namespace {

using hal::FlashAddress;
using hal::HostOpcode;

constexpr int kMostChanges = 60;
constexpr int kMostCommands = 40;
constexpr std::uint32_t kMostSectors = 16;  ///< most sectors of a command

struct Page {
    std::vector<std::byte> spare;
    bool torn = false;
};

/// Contents of a die.
struct Image {
    /// plane by plane; in each block the programmed pages, from page 0
    std::vector<std::vector<Page>> blocks;
    /// contents of the firmware's own pages
    std::vector<std::pair<FlashAddress, std::vector<std::byte>>> log;
};

/// Draws commands with `draw`. Contents repeat, so that deduplication finds equal blocks.
template <class Draw>
class Feed final : public hw::UntimedFeed {
  public:
    Feed(Draw draw, int commands) : draw_(std::move(draw)), left_(commands) {}

    bool next(hal::HostCommand& command, const hw::UntimedStatistics&) override {
        return left_-- > 0 && draw_(command, range_);
    }
    void content(const hal::HostCommand& command, std::uint32_t first,
                 std::span<std::byte> sectors) override {
        for (std::size_t at = 0; at + sizeof(std::uint64_t) <= sectors.size(); at += sizeof(std::uint64_t)) {
            const std::uint64_t sector = command.lba.value + first + at / sizeof(std::uint64_t);
            const std::uint64_t identity = 1 + command.sectors % 8 * 8 + sector % 8;
            std::memcpy(&sectors[at], &identity, sizeof identity);
        }
    }

  private:
    Draw draw_;
    int left_;
    hal::TrimRange range_;
};

/// A command from three drawn numbers.
void fill(hal::HostCommand& command, hal::TrimRange& range, std::uint32_t what, std::uint64_t place,
          std::uint32_t length, std::uint64_t exported) {
    const auto sectors =
        static_cast<std::uint32_t>(1 + length % std::min<std::uint64_t>(kMostSectors, exported));
    const hal::Lba lba{place % (exported - sectors + 1)};
    command.sectors = sectors;
    command.lba = lba;
    switch (what % 8) {
        case 0:
            command.opcode = HostOpcode::flush;
            return;
        case 1:
            command.opcode = HostOpcode::trim;
            range = {lba, sectors};
            command.ranges = {&range, 1};
            return;
        case 2:
        case 3:
            command.opcode = HostOpcode::read;
            return;
        default:
            command.opcode = HostOpcode::write;
            return;
    }
}

class Drive {
  public:
    explicit Drive(const std::vector<std::string>& settings)
        : configuration_(with(settings)),
          dram_(hal::content_bytes(configuration_.content, configuration_.dram.size_bytes)) {
        use();
    }

    void run(Input& input) {
        Image image = written_;
        for (int i = input.byte() % kMostChanges; i > 0; --i) {
            change(image, input);
        }
        std::fill(dram_.begin(), dram_.end(), std::byte{});
        hw::NandArray array(configuration_.nand, hal::Channel{0}, hal::Die{0});
        hal::PageStore pages;
        put(image, array, pages);
        const auto draw = [this, &input](hal::HostCommand& command, hal::TrimRange& range) {
            const std::uint8_t what = input.byte();
            const auto place = input.number<std::uint16_t>();
            fill(command, range, what, place, input.byte(), configuration_.firmware.exported_sectors);
            return !input.empty();
        };
        live(array, pages, fw::Boot::scan, Feed(draw, kMostCommands));
    }

  private:
    static platform::Configuration with(const std::vector<std::string>& settings) {
        std::vector<std::string> all{"nand.geometry.channels=1",         "nand.geometry.dies=1",
                                     "nand.geometry.blocks=16",          "nand.geometry.pages=8",
                                     "nand.geometry.page_size=2KiB",     "firmware.unit=1KiB",
                                     "firmware.write_segment=8KiB",      "firmware.read_segment=8KiB",
                                     "firmware.write_buffer.size=16KiB", "dram.size=4MiB",
                                     "ssd.over_provisioning=0.65"};
        all.insert(all.end(), settings.begin(), settings.end());
        return platform::parse_configuration("preset = \"tiny\"", "drive", all);
    }

    /// Runs the firmware from boot until it is idle.
    template <class Commands>
    void live(hw::NandArray& array, hal::PageStore& pages, fw::Boot boot, Commands commands) {
        hw::NandArray* const arrays = &array;
        hw::UntimedHardware hardware(configuration_.nand, {&arrays, 1}, dram_.data(),
                                     configuration_.dram.size_bytes);
        fw::Firmware firmware(configuration_.firmware,
                              {hardware, hardware, hardware, hardware, nullptr, &pages, &hardware, true},
                              boot);
        hardware.run(firmware, commands);
        SOLIDTLM_CHECK(firmware.ready(), "the firmware boots");
        SOLIDTLM_CHECK(firmware.check().empty(), "the firmware's tables are consistent");
        SOLIDTLM_CHECK(array.violations().total() == 0, "the firmware obeys the rules of the flash");
    }

    /// Writes until everything was overwritten, then stores what is on flash.
    void use() {
        hw::NandArray array(configuration_.nand, hal::Channel{0}, hal::Die{0});
        hal::PageStore pages;
        std::mt19937_64 random(1);
        const auto draw = [this, &random](hal::HostCommand& command, hal::TrimRange& range) {
            const std::uint64_t place = random();
            fill(command, range, static_cast<std::uint32_t>(random()), place,
                 static_cast<std::uint32_t>(random()), configuration_.firmware.exported_sectors);
            return true;
        };
        live(array, pages, fw::Boot::factory, Feed(draw, 150));
        const hw::NandGeometry& geometry = configuration_.nand.geometry;
        written_.blocks.resize(std::size_t{geometry.planes} * geometry.blocks);
        for (std::size_t block = 0; block < written_.blocks.size(); ++block) {
            for (std::uint32_t page = 0; page < geometry.pages; ++page) {
                const FlashAddress at = address(block, page);
                if (!array.is_programmed(at)) {
                    break;
                }
                const auto spare = array.metadata(at);
                written_.blocks[block].push_back({{spare.begin(), spare.end()}});
                if (const auto content = pages.get(at); !content.empty()) {
                    written_.log.emplace_back(at, std::vector(content.begin(), content.end()));
                }
            }
        }
    }

    [[nodiscard]] FlashAddress address(std::size_t block, std::size_t page) const {
        const std::uint32_t blocks = configuration_.nand.geometry.blocks;
        return {hal::Channel{0}, hal::Die{0}, hal::Plane{static_cast<std::uint8_t>(block / blocks)},
                hal::Block{static_cast<std::uint32_t>(block % blocks)},
                hal::Page{static_cast<std::uint32_t>(page)}};
    }

    void change(Image& image, Input& input) const {
        const std::uint8_t what = input.byte();
        std::vector<Page>& block = image.blocks[input.byte() % image.blocks.size()];
        switch (what % 8) {
            case 0:  // remove pages
                block.resize(std::min<std::size_t>(block.size(), input.byte() % 8));
                return;
            case 1:  // add a page
                if (block.size() < configuration_.nand.geometry.pages) {
                    block.push_back({std::vector<std::byte>(configuration_.nand.metadata_bytes)});
                }
                return;
            case 2:
                if (!block.empty()) {
                    Page& page = block[input.byte() % block.size()];
                    page.torn = !page.torn;
                }
                return;
            case 3:  // copy the spare area of another page
                if (const auto& other = image.blocks[input.byte() % image.blocks.size()];
                    !block.empty() && !other.empty()) {
                    block[input.byte() % block.size()].spare = other[input.byte() % other.size()].spare;
                }
                return;
            case 4:
                return change_log(image, input);
            default:
                if (!block.empty()) {
                    overwrite(block[input.byte() % block.size()].spare, input);
                }
                return;
        }
    }

    static void change_log(Image& image, Input& input) {
        if (image.log.empty()) {
            return;
        }
        std::vector<std::byte>& page = image.log[input.byte() % image.log.size()].second;
        const std::uint8_t what = input.byte();
        if (what % 8 == 0) {
            page.resize(input.byte());
        } else {
            overwrite(page, input);
        }
    }

    static void overwrite(std::vector<std::byte>& bytes, Input& input) {
        const std::size_t at = input.byte();
        const std::size_t count = 1 + input.byte() % 8;
        for (std::size_t i = at; i < at + count && !bytes.empty(); ++i) {
            bytes[i % bytes.size()] = std::byte{input.byte()};
        }
    }

    void put(const Image& image, hw::NandArray& array, hal::PageStore& pages) const {
        for (std::size_t block = 0; block < image.blocks.size(); ++block) {
            for (std::size_t page = 0; page < image.blocks[block].size(); ++page) {
                array.program_page(address(block, page), {}, image.blocks[block][page].spare);
                if (image.blocks[block][page].torn) {
                    array.tear_page(address(block, page));
                }
            }
        }
        for (const auto& [at, content] : image.log) {
            pages.put(at, content);
        }
    }

    const platform::Configuration configuration_;
    std::vector<std::byte> dram_;  ///< contents of DRAM
    Image written_;
};

void boot(Input input) {
    static std::array drives{
        Drive({}), Drive({"firmware.trim.persist=journal", "firmware.recovery.checkpoint_interval=256KiB"}),
        Drive({"firmware.map_cache.policy=dftl", "firmware.map_cache.size=4KiB",
               "firmware.trim.persist=immediate"}),
        Drive({"firmware.dedup.system=online", "firmware.dedup.table_size=16KiB",
               "firmware.dedup.shared_size=4KiB", "firmware.recovery.checkpoint_interval=256KiB"}),
        Drive({"firmware.dedup.system=offline_crc32", "firmware.dedup.table_size=16KiB",
               "firmware.dedup.shared_size=4KiB"})};
    drives[input.byte() % drives.size()].run(input);
}

}  // namespace
}  // namespace solidtlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    solidtlm::fuzz::boot(solidtlm::fuzz::Input(data, size));
    return 0;
}

/// The SystemC library needs this symbol; main() comes from libFuzzer or run_seeds.cpp.
int sc_main(int, char**) {  // NOLINT(readability-identifier-naming)
    return 0;
}
