// SPDX-License-Identifier: Apache-2.0
#include "fw/translation/unit_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "fw/testing/written_flash.h"

namespace solidtlm::fw::testing {
namespace {

/// Finds units in a table, as a layer whose whole map is in DRAM does.
class TableReader : public UnitReader {
  public:
    TableReader(Services& services, const std::vector<Ppa>& table, const LostPages& lost)
        : UnitReader(services), table_(table), lost_(lost) {}

    Task<void> begin_read(std::span<const LogicalRead> reads, Join& join, Ledger* ledger,
                          bool may_mark_parent, Charge& /*charge*/) override {
        std::vector<Ppa> found;
        for (const Lpn lpn : name_units(reads)) {
            found.push_back(table_[lpn.value]);
        }
        cycles = prepare(reads, found, lost_);
        submit(join, ledger, may_mark_parent);
        return Task<void>::ended();
    }

    std::uint64_t cycles = 0;  ///< for issuing the last reads

  private:
    const std::vector<Ppa>& table_;
    const LostPages& lost_;
};

struct UnitReaders : public ::testing::Test {
    UnitReaders() : table(bench.written.size() * 2, kUnmapped) {}

    /// Gives each logical page a place or none. Runs of pages lie one after the other.
    void draw_table() {
        std::ranges::fill(table, kUnmapped);
        std::vector<Ppa> places = bench.written;
        for (std::size_t cut = random() % 8; cut > 0; --cut) {
            std::ranges::rotate(places,
                                places.begin() + static_cast<std::ptrdiff_t>(random() % places.size()));
            std::reverse(places.begin(),
                         places.begin() + static_cast<std::ptrdiff_t>(random() % places.size()));
        }
        std::size_t next = 0;
        for (std::size_t lpn = 0; lpn < table.size() && next < places.size();) {
            const std::size_t length = std::min({1 + random() % 9, table.size() - lpn, places.size() - next});
            if (random() % 3 != 0) {
                std::copy_n(places.begin() + static_cast<std::ptrdiff_t>(next), length,
                            table.begin() + static_cast<std::ptrdiff_t>(lpn));
                next += length;
            }
            lpn += length;
        }
    }
    /// Ascending reads that do not overlap, each with its own place in DRAM.
    std::vector<LogicalRead> draw_reads() {
        const std::uint32_t sectors = static_cast<std::uint32_t>(table.size()) * per_unit;
        std::vector<LogicalRead> reads;
        std::uint32_t from = draw(sectors / 2);
        std::uint64_t dram = 0;
        while (reads.size() < 5 && from < sectors) {
            const std::uint32_t count = std::min(1 + draw(60), sectors - from);
            reads.push_back(LogicalRead{Lpn{from / per_unit}, DramAddress{dram}, from % per_unit, count});
            dram += std::uint64_t{count} * hal::kSectorBytes;
            from += count + draw(40);
        }
        return reads;
    }
    [[nodiscard]] bool readable(Lpn lpn) const {
        const Ppa at = table[lpn.value];
        return !lost.contains(lpn) &&
               (at == kUnmapped || !bench.flash.unreadable.contains(bench.page_of(at)));
    }
    void read(const std::vector<LogicalRead>& reads) {
        Join join(bench.executor, "reads");
        Charge charge;
        const Task<void> begun = reader.begin_read(reads, join, nullptr, false, charge);
        EXPECT_TRUE(begun.await_ready());
        bench.run();
        EXPECT_EQ(join.pending(), 0U);
        EXPECT_EQ(reader.cycles, reader.operations() * bench.config.cycles.flash_issue);
    }

    std::uint32_t draw(std::size_t bound) { return static_cast<std::uint32_t>(random() % bound); }

    std::mt19937_64 random{11};
    WrittenFlash bench;
    const std::uint32_t per_unit = bench.layout.sectors_per_unit();
    std::vector<Ppa> table;  // by Lpn
    LostPages lost;
    TableReader reader{bench.services, table, lost};
};

// Some pages cannot be read, some are lost, some were never written. Which sectors arrive, which are reported
// as unreadable and how much flash is read follows from the table, sector by sector.
TEST_F(UnitReaders, ReadEverySectorOrReportIt) {
    for (int round = 0; round < 400; ++round) {
        draw_table();
        bench.flash.unreadable.clear();
        lost = LostPages();
        for (std::uint32_t lpn = 0; round % 2 == 1 && lpn < table.size(); ++lpn) {
            if (table[lpn] != kUnmapped && random() % 20 == 0) {
                bench.flash.unreadable[bench.page_of(table[lpn])] = true;
            }
            if (table[lpn] != kUnmapped && round % 4 == 1 && random() % 20 == 0) {
                lost.insert(Lpn{lpn});
            }
        }
        const std::vector<LogicalRead> reads = draw_reads();
        std::uint32_t unmapped = 0;
        std::set<std::tuple<hal::Channel, Die, hal::Block, hal::Page>> rows;
        std::set<std::uint64_t> unreadable;  // sectors of the host
        for (const LogicalRead& each : reads) {
            for (std::uint32_t i = 0; i < each.sectors; ++i) {
                bench.put(each.dram, i, ~std::uint64_t{0});
            }
            for (std::uint32_t i = 0; i < each.units(per_unit); ++i) {
                const Ppa at = table[each.lpn.value + i];
                unmapped += at == kUnmapped ? 1 : 0;
                if (at != kUnmapped) {
                    const hal::FlashAddress page = bench.page_of(at);
                    rows.emplace(page.channel, page.die, page.block, page.page);
                }
            }
        }
        read(reads);
        EXPECT_EQ(reader.unmapped(), unmapped);
        EXPECT_EQ(reader.operations(), rows.size());
        for (const LogicalRead& each : reads) {
            for (std::uint32_t i = 0; i < each.sectors; ++i) {
                const std::uint32_t sector = each.first_sector + i;
                const Lpn lpn{each.lpn.value + sector / per_unit};
                const Ppa at = table[lpn.value];
                if (!readable(lpn)) {
                    unreadable.insert(std::uint64_t{lpn.value} * per_unit + sector % per_unit);
                } else {
                    ASSERT_EQ(bench.get(each.dram, i),
                              at == kUnmapped ? 0 : WrittenFlash::identity(at, sector % per_unit))
                        << round << ": sector " << sector % per_unit << " of page " << lpn.value;
                }
            }
        }
        for (const LogicalRead& part : reader.unreadable()) {
            for (std::uint32_t i = 0; i < part.sectors; ++i) {
                EXPECT_EQ(unreadable.erase(std::uint64_t{part.lpn.value} * per_unit + part.first_sector + i),
                          1U)
                    << round << ": page " << part.lpn.value;
            }
        }
        EXPECT_TRUE(unreadable.empty()) << round << ": not named";
    }
    EXPECT_TRUE(bench.flash.violations.empty());
}

// Two units fill a page of the tiny drive's flash. Units 0 and 1 lie on one plane, 2 and 3 on the other; one
// operation reads both planes.
TEST_F(UnitReaders, AFailedPageDoesNotAffectTheOthers) {
    ASSERT_EQ(bench.layout.units_per_page(), 2U);
    for (std::uint32_t lpn = 0; lpn < 4; ++lpn) {
        table[lpn] = bench.written[lpn];
    }
    bench.flash.unreadable[bench.page_of(table[0])] = true;
    read({LogicalRead{Lpn{1}, DramAddress{0}, 1, 2 * per_unit}});
    EXPECT_EQ(reader.operations(), 1U);
    ASSERT_EQ(reader.unreadable().size(), 1U);
    const LogicalRead& failed = reader.unreadable().front();
    EXPECT_EQ(failed.lpn, Lpn{1});
    EXPECT_EQ(failed.first_sector, 1U);
    EXPECT_EQ(failed.sectors, per_unit - 1);
    const DramAddress next{std::uint64_t{per_unit - 1} * hal::kSectorBytes};
    EXPECT_EQ(bench.get(next, 0), WrittenFlash::identity(table[2], 0));
}

}  // namespace
}  // namespace solidtlm::fw::testing
