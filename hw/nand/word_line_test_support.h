// SPDX-License-Identifier: Apache-2.0
//
// For tests: parts that program whole word lines, on the bench of test_bench.h.
#pragma once

#include <array>
#include <chrono>

#include "hw/nand/test_bench.h"

namespace solidtlm::hw::test {

using namespace std::chrono_literals;

// SDR mode 5: 80h-5A, tADL, the page, 10h, 11h or 1Ah, tWB; 70h, tWHR, the status.
constexpr Ps kCycle = 20ns;
constexpr Ps kPageIn = 6 * kCycle + 400ns + kPage * kCycle + kCycle + 100ns;
constexpr Ps kStatusRead = kCycle + 80ns + kCycle;
constexpr Ps kPlaneBusy = 1us;

struct Part {
    NandCell cell;
    std::uint32_t planes;

    [[nodiscard]] std::uint32_t word_line() const { return static_cast<std::uint32_t>(cell); }
    [[nodiscard]] std::uint32_t pages() const { return planes * word_line(); }
};

inline void PrintTo(const Part& part, std::ostream* out) {
    *out << part.word_line() << " pages on " << part.planes << " planes";
}

/// Six word lines in a block; programming one takes `program`.
inline NandConfig word_line_config(const Part& part, Ps program) {
    NandConfig config = small_config();
    config.cell = part.cell;
    config.programming = NandProgramming::one_shot;
    config.geometry.planes = part.planes;
    config.geometry.pages = 6 * part.word_line();
    config.timing.program = {program};
    config.timing.plane_busy = kPlaneBusy;
    config.slc.read = 30us;
    config.slc.program = 210us;
    return config;
}

/// The program of a word line in the same block of all planes.
struct WordLine : TestOp {
    WordLine(const Part& part, unsigned block, unsigned number)
        : TestOp(FlashOpcode::program, at(0, 0, block, number * part.word_line())) {
        op.planes = static_cast<std::uint8_t>(part.planes);
        op.word_line_pages = static_cast<std::uint8_t>(part.word_line());
        for (unsigned slot = 0; slot < part.pages(); ++slot) {
            op.address[slot] =
                at(0, slot % part.planes, block, number * part.word_line() + slot / part.planes);
            piece(0, kPage, std::uint64_t{slot} * kPage, static_cast<std::uint8_t>(slot));
        }
    }
};

inline FlashStatus status_of(NandArray& array, const FlashAddress& page) {
    return array.read(page, {}, {}, {});
}
inline const auto kErased = [](NandArray& array, const FlashAddress& page) {
    return status_of(array, page) == FlashStatus::erased;
};
inline const auto kTorn = [](NandArray& array, const FlashAddress& page) {
    return array.torn(page) && status_of(array, page) == FlashStatus::uncorrectable;
};
inline const auto kSound = [](NandArray& array, const FlashAddress& page) {
    return status_of(array, page) == FlashStatus::ok;
};

/// Tests of each of these parts.
class WordLineTest : public testing::TestWithParam<Part> {
  protected:
    const Part& part = GetParam();
    /// From the first command until the last page is on the bus.
    [[nodiscard]] Ps before_last() const { return (part.pages() - 1) * (kPageIn + kPlaneBusy); }

    template <class Judge>
    void expect_pages(Bench& bench, unsigned block, unsigned word_line, const Judge& judge) const {
        for (unsigned plane = 0; plane < part.planes; ++plane) {
            for (unsigned page = 0; page < part.word_line(); ++page) {
                const FlashAddress place = at(0, plane, block, word_line * part.word_line() + page);
                EXPECT_TRUE(judge(bench.channel.array(hal::Die{0}), place))
                    << "plane " << plane << " page " << place.page.value;
            }
        }
    }
};

}  // namespace solidtlm::hw::test
