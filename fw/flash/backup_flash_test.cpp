// SPDX-License-Identifier: Apache-2.0
//
// Which pages are copied when, worked by hand for word lines of two pages in shifted order and of three
// pages. What a boot takes from the copies, on a die that remembers what was programmed.
#include "fw/flash/backup_flash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fw/flash/allocator.h"
#include "fw/flash/carry_out.h"
#include "fw/flash/needs.h"
#include "fw/flash/program_op.h"
#include "fw/flash/spare.h"
#include "fw/needs.h"
#include "fw/testing/fake_core.h"
#include "fw/testing/memory_archive.h"
#include "fw/testing/one_die.h"

namespace solidtlm::fw::testing {
namespace {

using Texts = std::vector<std::string>;

const std::vector<std::uint32_t> kThreePages{0, 0, 1, 3, 3, 4, 6, 6, 7, 9, 9, 10};
/// Lower pages are 0, 1, 3, 5, 7 and 9.
const std::vector<std::uint32_t> kShifted{0, 1, 0, 3, 1, 5, 3, 7, 5, 9, 7, 9};

FirmwareConfig copying(std::vector<std::uint32_t> page_below, std::uint32_t slc_pages) {
    FirmwareConfig config = four_word_lines();
    config.flash.pages_per_program = 1;
    config.flash.page_below = std::move(page_below);
    config.flash.slc_pages = slc_pages;
    config.flash.blocks = 24;
    return config;
}

struct CopyBench : OneDieBench<BackupFlash> {
    explicit CopyBench(const FirmwareConfig& configuration) : OneDieBench(configuration) {
        flash.attach(services, DramAddress{0});
    }
    /// Programs `pages` of a superblock, all at once. Page 0 has the sequence number `first`.
    void program(const std::vector<std::uint32_t>& pages, std::uint32_t first = 7,
                 std::uint32_t superblock = 5, bool slc = false) {
        const std::vector<UnitWrite> units(layout.units_per_superpage());
        for (const std::uint32_t page : pages) {
            programs.push_back(std::make_unique<ProgramOp>());
            hal::FlashOp& op = programs.back()->op();
            programs.back()->prepare(services, SuperpageAddress{Pu{0}, Superblock{superblock}, page}, units,
                                     SpareHeader{first + page, PageKind::host, 0}, Cause::host);
            op.slc = slc;
            op.done = hal::Completion{[](void* self) { ++static_cast<CopyBench*>(self)->ended; }, this};
            flash.submit(op);
        }
        run();
    }
    void erase(std::uint32_t superblock = 5) {
        hal::FlashOp op = superpage_op(layout, hal::FlashOpcode::erase,
                                       SuperpageAddress{Pu{0}, Superblock{superblock}, 0}, Cause::gc);
        op.done = hal::Completion{[](void* /*context*/) {}, nullptr};
        flash.submit(op);
        run();
    }
    /// What the die has done: "program 2", "read 0", "copy 1.3" (superblock of the area, page), "erase area".
    Texts done() {
        Texts texts;
        const hal::Block area = layout.nand_page(Pu{0}, layout.first(kBackupArea), 0, 0).block;
        for (const hal::FlashOp& op : die.seen) {
            const std::string page = std::to_string(op.address[0].page.value);
            const bool copies = op.address[0].block >= area;
            const std::string block =
                copies ? std::to_string(op.address[0].block.value - area.value) : std::string();
            EXPECT_EQ(op.planes, 2);
            EXPECT_EQ(op.slc, copies && op.opcode != hal::FlashOpcode::erase);
            if (op.opcode == hal::FlashOpcode::erase) {
                texts.push_back("erase " + block);
            } else if (op.opcode == hal::FlashOpcode::read) {
                texts.push_back("read " + (copies ? block + "." + page : page));
            } else {
                texts.push_back(copies ? "copy " + block + "." + page : "program " + page);
            }
        }
        die.seen.clear();
        return texts;
    }

    std::vector<std::unique_ptr<ProgramOp>> programs;
    std::uint32_t ended = 0;
};

// Page 1 takes page 0 along, page 2 takes 0 and 1: 0 has a copy already.
TEST(BackupFlash, CopiesEachEarlierPageOfThreeOnce) {
    CopyBench bench(copying(kThreePages, 4));
    bench.program({0, 1, 2, 3, 4, 5});
    EXPECT_EQ(bench.done(),
              (Texts{"program 0", "read 0", "copy 0.0", "program 1", "read 1", "copy 0.1", "program 2",
                     "program 3", "read 3", "copy 0.2", "program 4", "read 4", "copy 0.3", "program 5"}));
    EXPECT_EQ(bench.ended, 6U);
    EXPECT_EQ(bench.flash.counters().copies, 4U);
}

TEST(BackupFlash, CopiesTheLowerPageBeforeItsUpperOneInShiftedOrder) {
    CopyBench bench(copying(kShifted, 6));
    bench.program({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    EXPECT_EQ(bench.done(),
              (Texts{"program 0", "program 1", "read 0",     "copy 0.0",  "program 2", "program 3",
                     "read 1",    "copy 0.1",  "program 4",  "program 5", "read 3",    "copy 0.2",
                     "program 6", "program 7", "read 5",     "copy 0.3",  "program 8", "program 9",
                     "read 7",    "copy 0.4",  "program 10", "read 9",    "copy 0.5",  "program 11"}));
}

// The first superblock of the area has two copies of page 0: one from the present life of its superblock,
// which counts, and an older one.
TEST(BackupFlash, WritesAgainWhatCountsBeforeItErases) {
    CopyBench bench(copying(kThreePages, 4));
    const std::uint32_t superblocks = bench.layout.superblocks(kBackupArea);
    bench.program({0, 1});  // 0 has a copy that counts, in 0.0
    bench.erase();
    bench.program({0, 1});  // 0.1
    EXPECT_EQ(bench.done(), (Texts{"program 0", "read 0", "copy 0.0", "program 1", "erase ", "program 0",
                                   "read 0", "copy 0.1", "program 1"}));
    // Other superblocks fill the area.
    std::uint32_t copies = 2;
    const std::uint32_t all = superblocks * 4;
    const std::vector<UnitWrite> units(bench.layout.units_per_superpage());
    for (std::uint32_t superblock = 6; copies < all; ++superblock, copies += 8) {
        for (std::uint32_t page = 0; page < 12; ++page) {
            ProgramOp program;
            program.prepare(bench.services, SuperpageAddress{Pu{0}, Superblock{superblock % 4 + 6}, page},
                            units, SpareHeader{100, PageKind::host, 0}, Cause::host);
            program.op().done = hal::Completion{[](void* /*context*/) {}, nullptr};
            bench.flash.submit(program.op());
            bench.run();
        }
    }
    const Texts texts = bench.done();
    const auto erase = std::ranges::find(texts, "erase 0");
    ASSERT_NE(erase, texts.end());
    const std::string opened = std::to_string(superblocks - 2);  // the last one stays free
    EXPECT_EQ(*(erase - 1), "copy " + opened + ".0");
    EXPECT_EQ(*(erase - 2), "read 0.1");
    EXPECT_NE(*(erase - 4), "read 0.0") << "it is from an earlier life of the superblock";
    EXPECT_EQ(bench.flash.counters().again, 1U);
}

TEST(BackupFlash, CopiesAgainElsewhereIfACopyFails) {
    CopyBench bench(copying(kThreePages, 4));
    bench.die.failing = 2;
    bench.program({0, 1});
    EXPECT_EQ(bench.done(), (Texts{"program 0", "read 0", "copy 0.0", "read 0", "copy 1.0", "program 1"}));
}

// Without a superblock that takes copies, page 1 is refused, and page 2 after it: page 1 stays erased, and a
// boot would take that for the end of the superblock.
TEST(BackupFlash, RefusesWhatItCannotProtectUntilTheErase) {
    struct NoCopies : OneDie {
        using OneDie::OneDie;
        void submit(hal::FlashOp& op) override {
            failing = op.opcode == hal::FlashOpcode::program && op.slc ? seen.size() : ~std::size_t{0};
            OneDie::submit(op);
        }
    };
    CopyBench bench(copying(kThreePages, 4));
    NoCopies broken(bench.clock);
    bench.flash.move_to(broken);
    bench.program({0, 1, 2, 3});
    EXPECT_EQ(bench.ended, 4U);
    EXPECT_EQ(bench.programs[0]->op().status, hal::FlashStatus::ok);
    for (std::uint32_t page = 1; page < 4; ++page) {
        EXPECT_EQ(bench.programs[page]->op().status, hal::FlashStatus::refused) << page;
    }
    for (const hal::FlashOp& op : broken.seen) {
        EXPECT_TRUE(op.opcode != hal::FlashOpcode::program || op.slc || op.address[0].page == hal::Page{0});
    }
    bench.erase();
    bench.program({0});
    EXPECT_EQ(bench.programs.back()->op().status, hal::FlashStatus::ok);
}

/// A die whose first programs in SLC mode fail.
struct FailingCopies : OneDie {
    using OneDie::OneDie;
    void submit(hal::FlashOp& op) override {
        const bool fails = op.opcode == hal::FlashOpcode::program && op.slc && left > 0;
        left -= fails ? 1 : 0;
        failing = fails ? seen.size() : ~std::size_t{0};
        OneDie::submit(op);
    }
    std::uint32_t left = 0;
};

struct ReadOnlyLog : hal::Probe {
    void decided(const hal::Decision& decision) override {
        stops += decision.deed == hal::Deed::read_only && decision.area == hal::Area::copies ? 1 : 0;
    }
    std::uint32_t stops = 0;
};

// Superblocks for copies have four pages. What is open takes six copies at most: the seven superblocks less
// four, and less two, hold four.
TEST(BackupFlash, IsWornOutWhenGoodSuperblocksDoNotHoldTheCopiesOfWhatIsOpen) {
    for (const std::uint32_t failures : {3U, 4U}) {
        CopyBench bench(copying(kThreePages, 4));
        ASSERT_EQ(bench.layout.superblocks(kBackupArea), 7U);
        FailingCopies die(bench.clock);
        ReadOnlyLog log;
        bench.services.probe = &log;
        bench.flash.move_to(die);
        bench.program({0});
        die.left = failures;
        bench.program({1, 2});
        const bool worn_out = failures == 4;
        EXPECT_EQ(bench.flash.worn_out(), worn_out);
        EXPECT_EQ(bench.flash.worn_out_since().has_value(), worn_out);
        EXPECT_EQ(bench.flash.has_room(Pu{0}, true), !worn_out);
        EXPECT_EQ(bench.flash.has_room(Pu{0}, false), !worn_out);
        EXPECT_EQ(log.stops, worn_out ? 1U : 0U);
        for (const auto& program : bench.programs) {  // those under way still find room
            EXPECT_EQ(program->op().status, hal::FlashStatus::ok);
        }
    }
}

TEST(BackupFlash, StaysWornOutWhenItsStateIsLoaded) {
    CopyBench bench(copying(kThreePages, 4));
    FailingCopies die(bench.clock);
    die.left = 4;
    bench.flash.move_to(die);
    bench.program({0, 1, 2});
    MemoryArchive state;
    bench.flash.serialize(state);
    state.load();
    CopyBench later(copying(kThreePages, 4));
    EXPECT_FALSE(later.flash.worn_out());
    later.flash.serialize(state);
    EXPECT_TRUE(later.flash.worn_out());
    EXPECT_FALSE(later.flash.worn_out_since());
}

// Failed superblocks are emptied and erased in their turn, and not used again.
TEST(BackupFlash, RetiresASuperblockInWhichACopyFailed) {
    CopyBench bench(copying(kThreePages, 4));
    bench.die.failing = 2;
    for (std::uint32_t life = 0; life < 8; ++life) {
        bench.program({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
        bench.erase();
    }
    EXPECT_EQ(bench.flash.counters().retired, 1U);
    const Texts texts = bench.done();
    const auto erased = std::ranges::find(texts, "erase 0");
    ASSERT_NE(erased, texts.end());
    EXPECT_EQ(std::ranges::count(texts, "copy 0.0"), 1);
    EXPECT_EQ(std::find(erased + 1, texts.end(), "erase 0"), texts.end());
}

TEST(BackupFlash, ErasesTheSuperblocksForCopiesEquallyOften) {
    CopyBench bench(copying(kThreePages, 4));
    for (std::uint32_t life = 0; life < 30; ++life) {  // 240 copies, four in a superblock
        bench.program({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
        bench.erase();
    }
    const Texts texts = bench.done();
    for (std::uint32_t superblock = 0; superblock < 7; ++superblock) {
        const auto erases = std::ranges::count(texts, "erase " + std::to_string(superblock));
        EXPECT_NEAR(static_cast<double>(erases), (240 / 4 - 5) / 7.0, 1.0);
    }
}

/// A die that remembers spare areas, with three pages in a word line. Programs and erases take 1 ms each, one
/// after the other, and count when they end. A read passes the programs that have not ended, but no erase. In
/// the other mode than that of the block, it finds nothing in word lines that have been programmed.
class RememberingDie : public hal::Flash {
  public:
    void submit(hal::FlashOp& op) override {
        if (op.opcode == hal::FlashOpcode::erase) {
            carry_out(op);
        }
        if (op.opcode == hal::FlashOpcode::read) {
            carry_out(op);
            clock->at(clock->now() + 100us, [&op] { op.done(); });
            return;
        }
        free_ = std::max(clock->now(), free_) + 1ms;
        clock->at(free_, [this, &op] {
            if (op.opcode == hal::FlashOpcode::program) {
                carry_out(op);
            }
            op.done();
        });
    }
    [[nodiscard]] std::uint32_t pending(hal::Channel /*channel*/, hal::Die /*die*/) const override {
        return 0;
    }
    [[nodiscard]] bool factory_bad(const hal::FlashAddress& /*block*/) const override { return false; }

    FakeClock* clock = nullptr;
    std::map<hal::FlashAddress, std::vector<std::byte>> spare;  // of programmed pages
    std::set<hal::FlashAddress> unreadable;
    std::set<hal::FlashAddress> lost_data;  // which ECC cannot correct; their spare areas can be read
    std::set<hal::FlashAddress> slc;        // blocks in SLC mode

  private:
    static hal::FlashAddress block_of(hal::FlashAddress page) {
        page.page = hal::Page{0};
        return page;
    }
    /// Status of a read in SLC mode (`as_slc`) of a block in normal mode, or the reverse.
    [[nodiscard]] hal::FlashStatus in_other_mode(hal::FlashAddress page, bool as_slc) const {
        constexpr std::uint32_t kPages = 3;
        const std::uint32_t first = as_slc ? page.page.value * kPages : page.page.value / kPages;
        for (std::uint32_t i = 0; i < (as_slc ? kPages : 1); ++i) {
            page.page = hal::Page{first + i};
            if (spare.contains(page) || unreadable.contains(page)) {
                return hal::FlashStatus::uncorrectable;
            }
        }
        return hal::FlashStatus::erased;
    }
    [[nodiscard]] bool cannot_read(const hal::FlashOp& op, std::uint32_t slot) const {
        const bool data = std::ranges::any_of(
            op.pieces, [slot](const hal::FlashPiece& piece) { return piece.plane_slot == slot; });
        return unreadable.contains(op.address[slot]) || (data && lost_data.contains(op.address[slot]));
    }
    void carry_out(hal::FlashOp& op) {
        op.status = hal::FlashStatus::ok;
        const std::size_t bytes = op.spare.size() / op.slots();
        for (std::uint32_t slot = 0; slot < op.slots(); ++slot) {
            const hal::FlashAddress& at = op.address[slot];
            const auto part = op.spare.subspan(slot * bytes, bytes);
            op.plane_status[slot] = hal::FlashStatus::ok;
            if (op.opcode == hal::FlashOpcode::program) {
                spare[at].assign(part.begin(), part.end());
                if (op.slc) {
                    slc.insert(block_of(at));
                }
            } else if (op.opcode == hal::FlashOpcode::erase) {
                const auto lies_there = [&at](const hal::FlashAddress& page) {
                    return block_of(page) == block_of(at);
                };
                std::erase_if(spare, [&](const auto& page) { return lies_there(page.first); });
                std::erase_if(unreadable, lies_there);
                std::erase_if(lost_data, lies_there);
                slc.erase(block_of(at));
            } else if (op.slc != slc.contains(block_of(at))) {
                op.plane_status[slot] = in_other_mode(at, op.slc);
            } else if (cannot_read(op, slot)) {
                op.plane_status[slot] = hal::FlashStatus::uncorrectable;
            } else if (!spare.contains(at)) {
                op.plane_status[slot] = hal::FlashStatus::erased;
            } else {
                std::copy_n(spare[at].begin(), std::min(bytes, spare[at].size()), part.begin());
            }
            op.status = hal::worse(op.status, op.plane_status[slot]);
        }
    }

    Ps free_{0};
};

/// A drive with word lines of three pages, whose power goes and returns.
struct Life : CopyBench {
    explicit Life(RememberingDie& array, SlcCacheMode cache = SlcCacheMode::none)
        : CopyBench(with_cache(cache)), array_(array) {
        array.clock = &clock;
        flash.move_to(array);
    }
    void recover() {
        executor.spawn(flash.recover());
        run();
    }
    /// Pages of superblock 5 that only a copy has, after recover().
    std::vector<std::uint32_t> restored() {
        std::vector<std::uint32_t> pages;
        for (const SuperpageAddress& at : flash.restored(Pu{0})) {
            EXPECT_EQ(at.superblock, Superblock{5});
            pages.push_back(at.page);
        }
        return pages;
    }
    [[nodiscard]] hal::FlashAddress address(std::uint32_t page, std::uint32_t plane) const {
        return layout.nand_page(Pu{0}, Superblock{5}, plane, page);
    }
    /// The copy of page 0 is from the first life of the superblock. In the second one only that page was
    /// programmed.
    void leave_an_old_copy() {
        program({0, 1}, 7);
        erase();
        program({0}, 70);
    }
    /// No plane can read the page of superblock 5 any more.
    void destroy(std::uint32_t page, std::uint32_t superblock = 5) {
        for (const std::uint32_t plane : {0U, 1U}) {
            array_.unreadable.insert(layout.nand_page(Pu{0}, Superblock{superblock}, plane, page));
        }
    }
    /// The spare areas of a page of superblock 5 as they were programmed.
    [[nodiscard]] std::vector<std::byte> written(std::uint32_t page) const {
        std::vector<std::byte> both = array_.spare.at(address(page, 0));
        const std::vector<std::byte>& second = array_.spare.at(address(page, 1));
        both.insert(both.end(), second.begin(), second.end());
        return both;
    }
    /// The same as a read that `then` follows at once gets them.
    std::vector<std::byte> read(std::uint32_t page, const std::function<void()>& then) {
        std::vector<std::byte> spare(written_bytes);
        hal::FlashOp op = superpage_op(layout, hal::FlashOpcode::read,
                                       SuperpageAddress{Pu{0}, Superblock{5}, page}, Cause::host);
        op.spare = spare;
        op.done = hal::Completion{[](void* /*context*/) {}, nullptr};
        flash.submit(op);
        then();
        run();
        EXPECT_EQ(op.status, hal::FlashStatus::ok);
        return spare;
    }

    /// ECC cannot correct the data of a page of superblock 5.
    void lose_data(std::uint32_t page, std::uint32_t plane) { array_.lost_data.insert(address(page, plane)); }
    /// The planes on which the data of a page of superblock 5 can be read.
    hal::PlaneSet planes_with_data(std::uint32_t page) {
        const std::array<hal::FlashPiece, 2> pieces{hal::FlashPiece{0, 0, 512, hal::DramAddress{0}},
                                                    hal::FlashPiece{1, 0, 512, hal::DramAddress{512}}};
        hal::FlashOp op = superpage_op(layout, hal::FlashOpcode::read,
                                       SuperpageAddress{Pu{0}, Superblock{5}, page}, Cause::host);
        op.pieces = pieces;
        op.done = hal::Completion{[](void* /*context*/) {}, nullptr};
        flash.submit(op);
        run();
        std::uint32_t planes = 0;
        for (const std::uint32_t plane : {0U, 1U}) {
            planes |= std::uint32_t{op.plane_status[plane] == hal::FlashStatus::ok} << plane;
        }
        return static_cast<hal::PlaneSet>(planes);
    }

    const std::size_t written_bytes = 2 * spare_bytes(layout.units_per_page());

  private:
    static FirmwareConfig with_cache(SlcCacheMode mode) {
        FirmwareConfig config = copying(kThreePages, 4);
        config.slc_cache.mode = mode;
        return config;
    }
    RememberingDie& array_;
};

// The copy is made of the page, not of the erased page that it was while its program was under way.
TEST(BackupFlash, WaitsForTheProgramBeforeItCopiesThePage) {
    RememberingDie array;
    Life before(array);
    before.program({0, 1, 2});
    const std::vector<std::byte> page = before.written(0);
    before.destroy(0);
    before.destroy(1);
    before.destroy(2);
    Life after(array);
    after.recover();
    EXPECT_EQ(after.restored(), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(after.read(0, [] {}), page);
}

TEST(BackupFlash, RestoresTheNewestCopy) {
    RememberingDie array;
    Life before(array);
    before.program({0, 1}, 7);
    const std::vector<std::byte> old = before.written(0);
    before.erase();
    before.program({0, 1}, 70);
    const std::vector<std::byte> page = before.written(0);
    ASSERT_NE(old, page);
    before.destroy(0);
    before.destroy(1);
    Life after(array);
    after.recover();
    EXPECT_EQ(after.restored(), std::vector<std::uint32_t>{0});
    EXPECT_EQ(after.read(0, [] {}), page);
}

// The first copy gets the number 2^32 - 1, as if so many had been made before, and the second one the next.
TEST(BackupFlash, RestoresTheNewestCopyAfterMoreCopiesThan32BitsCount) {
    RememberingDie array;
    Life before(array);
    before.program({0, 1}, 7);
    for (const std::uint32_t plane : {0U, 1U}) {
        const Superblock area = before.layout.first(kBackupArea);
        std::vector<std::byte>& copy = array.spare.at(before.layout.nand_page(Pu{0}, area, plane, 0));
        const std::size_t number = copy.size() - kBackupRecordBytes;
        ASSERT_EQ(copy[number], std::byte{1});
        std::fill_n(copy.begin() + static_cast<std::ptrdiff_t>(number), 4, std::byte{0xFF});
    }
    Life middle(array);
    middle.recover();
    middle.erase();
    middle.program({0, 1}, 70);
    const std::vector<std::byte> page = middle.written(0);
    middle.destroy(0);
    middle.destroy(1);
    Life after(array);
    after.recover();
    EXPECT_EQ(after.restored(), std::vector<std::uint32_t>{0});
    EXPECT_EQ(after.read(0, [] {}), page);
}

// Data that ECC cannot correct is lost, but a boot has to find whose it was, or it would take older data.
TEST(BackupFlash, RestoresTheSpareAreaOfDataThatWasLostBefore) {
    RememberingDie array;
    Life before(array);
    before.program({0});
    const std::vector<std::byte> page = before.written(0);
    before.lose_data(0, 1);
    before.program({1});
    before.destroy(0);
    before.destroy(1);
    Life after(array);
    after.recover();
    EXPECT_EQ(after.restored(), std::vector<std::uint32_t>{0});
    EXPECT_EQ(after.read(0, [] {}), page);
    EXPECT_EQ(after.planes_with_data(0), hal::PlaneSet{0b01});
}

// The copy of a page that can be read may be from an earlier life of its superblock.
TEST(BackupFlash, RestoresNoPageThatCanBeRead) {
    RememberingDie array;
    Life before(array);
    before.program({0, 1});
    before.destroy(1);
    Life after(array);
    after.recover();
    EXPECT_EQ(after.restored(), std::vector<std::uint32_t>{});
}

// A cut takes the page that is being programmed too. A page that cannot be read beside one that can has aged.
TEST(BackupFlash, RestoresNoPageWithoutATornPartner) {
    RememberingDie array;
    Life before(array);
    before.program({0, 1});
    before.destroy(0);
    Life after(array);
    after.recover();
    EXPECT_EQ(after.restored(), std::vector<std::uint32_t>{});
}

// The page of the present life can be read on the other plane.
TEST(BackupFlash, RestoresNothingForAPlaneThatDied) {
    RememberingDie array;
    Life before(array);
    before.leave_an_old_copy();
    for (std::uint32_t page = 0; page < 12; ++page) {
        array.unreadable.insert(before.address(page, 1));
    }
    Life after(array);
    after.recover();
    EXPECT_EQ(after.restored(), std::vector<std::uint32_t>{});
}

// The copy may be from any life.
TEST(BackupFlash, RestoresNothingOfASuperblockWhoseEraseWasInterrupted) {
    RememberingDie array;
    Life before(array);
    before.leave_an_old_copy();
    for (std::uint32_t page = 0; page < 12; ++page) {
        before.destroy(page);
    }
    Life after(array);
    after.recover();
    EXPECT_EQ(after.restored(), std::vector<std::uint32_t>{});
}

// The copy is from the first life of the superblock, in normal mode. Pages in SLC mode need none.
TEST(BackupFlash, RestoresNothingOfASuperblockInSlcMode) {
    for (const std::uint32_t torn : {0U, 1U, 2U}) {  // pages, before one that can be read
        RememberingDie array;
        Life before(array, SlcCacheMode::dynamic);
        before.program({0, 1}, 7);
        before.erase();
        before.program({0, 1, 2}, 70, 5, true);
        EXPECT_EQ(before.flash.counters().copies, 1U);
        for (std::uint32_t page = 0; page < torn; ++page) {
            before.destroy(page);
        }
        Life after(array, SlcCacheMode::dynamic);
        after.recover();
        EXPECT_EQ(after.restored(), std::vector<std::uint32_t>{});
        EXPECT_EQ(after.flash.place_of(after.address(0, 0)), after.address(0, 0));
    }
}

TEST(BackupFlash, RestoresTheCopyFromTheLifeAfterOneInSlcMode) {
    RememberingDie array;
    Life before(array, SlcCacheMode::dynamic);
    before.program({0, 1, 2}, 7);
    before.erase();
    before.program({0, 1}, 70, 5, true);
    before.erase();
    before.program({0, 1}, 100);
    const std::vector<std::byte> page = before.written(0);
    before.destroy(0);
    before.destroy(1);
    Life after(array, SlcCacheMode::dynamic);
    after.recover();
    EXPECT_EQ(after.restored(), std::vector<std::uint32_t>{0});
    EXPECT_EQ(after.read(0, [] {}), page);
}

// Otherwise a cut could leave a superblock like an interrupted erase.
TEST(BackupFlash, ProgramsTheLastPageOnlyIfAnotherWordLineCanBeRead) {
    for (const std::uint32_t first_taken : {0U, 3U}) {
        RememberingDie array;
        Life before(array);
        before.program({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        for (std::uint32_t page = first_taken; page < 11; ++page) {
            before.destroy(page);
        }
        Life after(array);
        after.recover();
        after.program({11});
        EXPECT_EQ(after.programs.back()->op().status,
                  first_taken == 0 ? hal::FlashStatus::refused : hal::FlashStatus::ok);
    }
}

TEST(BackupFlash, ReadsTheCopyBeforeALaterEraseOfItsSuperblock) {
    RememberingDie array;
    Life before(array);
    before.program({0, 1});
    const std::vector<std::byte> page = before.written(0);
    before.destroy(0);
    before.destroy(1);
    Life after(array);
    after.recover();
    hal::FlashOp erase = superpage_op(after.layout, hal::FlashOpcode::erase,
                                      SuperpageAddress{Pu{0}, Superblock{5}, 0}, Cause::gc);
    erase.done = hal::Completion{[](void* /*context*/) {}, nullptr};
    EXPECT_EQ(after.read(0, [&] { after.flash.submit(erase); }), page);
    EXPECT_FALSE(array.spare.contains(after.address(0, 0)));
}

/// Each cut takes a word line: two copies count until its superblock is erased, and the good superblocks less
/// two have room for 19. The host leaves room for six of what is open, collection for two of its own.
struct CutsInARow : ::testing::TestWithParam<std::uint32_t> {
    CutsInARow() {
        Life before(array);
        for (std::uint32_t cut = 0; cut < cuts; ++cut) {
            const std::uint32_t first = cut % 3 * 3;
            before.program({first, first + 1, first + 2}, 7, 5 + cut / 3);
        }
        for (std::uint32_t superblock = 5; superblock <= 7; ++superblock) {
            before.program({9}, 7, superblock);  // its last word line can be read
        }
        for (std::uint32_t cut = 0; cut < cuts; ++cut) {
            for (std::uint32_t page = cut % 3 * 3; page < cut % 3 * 3 + 3; ++page) {
                taken[{5 + cut / 3, page}] =
                    array.spare.at(before.layout.nand_page(Pu{0}, Superblock{5 + cut / 3}, 0, page));
                before.destroy(page, 5 + cut / 3);
            }
        }
    }

    const std::uint32_t cuts = GetParam();
    RememberingDie array;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::byte>> taken;  // superblock, page
};

TEST_P(CutsInARow, LeaveRoomForCollectionBeforeTheHostGetsAny) {
    Life after(array);
    after.recover();
    EXPECT_EQ(after.flash.counters().restored, 2 * cuts);
    EXPECT_EQ(after.flash.has_room(Pu{0}, true), 2 * cuts + 6 <= 19);
    EXPECT_EQ(after.flash.has_room(Pu{0}, false), 2 * cuts + 2 <= 19);
    EXPECT_FALSE(after.flash.worn_out());
    after.erase(5);  // what three cuts took
    EXPECT_TRUE(after.flash.has_room(Pu{0}, true));
    EXPECT_TRUE(after.flash.has_room(Pu{0}, false));
}

TEST_P(CutsInARow, LeaveAllocationNoMoreThanThat) {
    Life after(array);
    after.services.backup = &after.flash;
    SuperblockTable table(after.layout, true);
    Signal progress(after.executor, "progress");
    Allocator allocator(after.services, table, progress);
    after.recover();
    EXPECT_EQ(allocator.reserve(Pu{0}).has_value(), 2 * cuts + 6 <= 19);
    EXPECT_EQ(allocator.out_of_space(Pu{0}), 2 * cuts + 6 > 19);
    EXPECT_EQ(allocator.gc_room(Pu{0}) > 0, 2 * cuts + 2 <= 19);
    EXPECT_EQ(allocator.empty_superpages(Pu{0}) > 0, 2 * cuts + 2 <= 19);
    allocator.spend_reserve(true);  // it does not help
    EXPECT_EQ(allocator.out_of_space(Pu{0}), 2 * cuts + 6 > 19);
    after.erase(5);
    allocator.space_freed(Pu{0});
    EXPECT_TRUE(allocator.reserve(Pu{0}));
}

// As long as has_room() says so, copies in progress find room beside those that are kept, again and again.
TEST_P(CutsInARow, LetCollectionFillSuperblocksWhereThereIsRoom) {
    Life after(array);
    after.recover();
    if (!after.flash.has_room(Pu{0}, false)) {
        return;
    }
    for (std::uint32_t life = 0; life < 5; ++life) {
        after.erase(8);
        after.program({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 100, 8);
    }
    for (const auto& program : after.programs) {
        EXPECT_EQ(program->op().status, hal::FlashStatus::ok);
    }
    EXPECT_GT(after.flash.counters().erases, 0U);
    if (2 * cuts % 4 != 0) {  // otherwise all pages of the superblocks that they lie in count
        EXPECT_GT(after.flash.counters().again, 0U);
    }
    EXPECT_EQ(after.flash.restored(Pu{0}).size(), 2 * cuts);
    for (const SuperpageAddress& at : after.flash.restored(Pu{0})) {
        const hal::FlashAddress copy =
            after.flash.place_of(after.layout.nand_page(Pu{0}, at.superblock, 0, at.page));
        std::vector<std::byte> found = array.spare.at(copy);
        found.resize(spare_bytes(after.layout.units_per_page()));
        EXPECT_EQ(found, (taken.at({at.superblock.value, at.page})));
    }
}

INSTANTIATE_TEST_SUITE_P(Numbers, CutsInARow, ::testing::Values(5U, 6U, 7U, 8U, 9U));

// Pages that have aged before a later page is programmed cost room only until their word lines are full.
TEST(BackupFlash, KeepsNoCopyOfWhatCannotBeRead) {
    RememberingDie array;
    Life before(array);
    for (std::uint32_t superblock = 5; superblock < 12; ++superblock) {
        for (const std::uint32_t first : {0U, 3U, 6U, 9U}) {
            before.program({first}, 7, superblock);
            before.destroy(first, superblock);
            before.program({first + 1, first + 2}, 7, superblock);
        }
        EXPECT_TRUE(before.flash.has_room(Pu{0}, true));
    }
    EXPECT_EQ(before.flash.counters().refused, 0U);
    Life after(array);
    after.recover();
    EXPECT_EQ(after.flash.counters().restored, 0U);
}

// Each superblock that is open or was cut needs the earlier pages of one word line.
TEST(BackupFlash, TakesRoomForOpenSuperblocksAndFourCuts) {
    EXPECT_EQ(most_backup_copies(copying(kShifted, 6)), 7U);
    EXPECT_EQ(most_backup_copies(copying(kThreePages, 4)), 14U);
    EXPECT_EQ(kBackupArea.superblocks(copying(kShifted, 6), 1), 5U);
    EXPECT_EQ(kBackupArea.superblocks(copying(kThreePages, 4), 1), 7U);
    EXPECT_EQ(kBackupArea.superblocks(copying({}, 4), 1), 0U);
}

}  // namespace
}  // namespace solidtlm::fw::testing
