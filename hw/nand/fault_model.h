// SPDX-License-Identifier: Apache-2.0
//
// The faults of one die (docs/reliability.md): which programs and erases fail, and whether ECC can correct a
// page. A NandArray has one if faults are configured.
//
// Every draw is a hash of the seed, the block's address, how often it was erased, and the number of the
// operation on that block or of the page and codeword, so that the order of events does not matter. The cells
// of a codeword that fail are the same at every read: with one draw, a codeword has more errors the higher
// its error rate, and a retry that lowers the rate takes errors away.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fw/hal/metrics.h"
#include "hw/nand/config.h"

namespace solidtlm::hw {

struct FaultStatistics {
    std::uint64_t codewords = 0;         ///< codewords sensed, counting each retry
    std::uint64_t raw_errors = 0;        ///< wrong bits in these
    std::uint64_t failed_codewords = 0;  ///< codewords with more errors than ECC corrects
    std::uint32_t most_corrected = 0;    ///< most bits corrected in one codeword
    std::uint64_t program_failures = 0;  ///< pages
    std::uint64_t erase_failures = 0;    ///< blocks

    void tell(hal::Metrics& metrics) const;
};

/// The part of a block's history on which its faults depend.
struct BlockWear {
    /// For a block that was only used in normal mode.
    BlockWear(std::uint32_t erased)
        : erases(erased), cycles(erased) {}  // NOLINT(google-explicit-constructor)
    BlockWear(std::uint32_t erased, double worn_by, bool in_slc_mode)
        : erases(erased), cycles(worn_by), slc(in_slc_mode) {}

    std::uint32_t erases;
    double cycles;  ///< number of cycles in normal mode that would have caused the same wear
    bool slc = false;
};

class FaultModel {
  public:
    FaultModel(const NandConfig& config, hal::Channel channel, hal::Die die);

    /// Sets the time of the following calls. Before the first call, simulated time has not begun.
    void set_time(hal::Ps now) { now_ = now; }

    /// True if the plane of the page no longer answers.
    [[nodiscard]] bool dead(const hal::FlashAddress& at) const;
    /// True if the program of a page, or the erase of a block, fails. The block was erased `erases` times
    /// before.
    [[nodiscard]] bool program_fails(const hal::FlashAddress& page, std::uint32_t erases);
    [[nodiscard]] bool erase_fails(const hal::FlashAddress& block, const BlockWear& wear);
    /// Count a failure caused by wear-out or a factory mark.
    void count_program_failure() { ++statistics_.program_failures; }
    void count_erase_failure() { ++statistics_.erase_failures; }
    /// A page holds data from now on.
    void programmed(const hal::FlashAddress& page);
    /// A page was copied inside the die, together with the uncorrected errors of `source`.
    void copied(const hal::FlashAddress& source, const BlockWear& source_wear,
                const hal::FlashAddress& destination);
    void erased(const hal::FlashAddress& block);

    /// Part of a page.
    struct Range {
        std::uint32_t column_bytes = 0;
        std::uint32_t length_bytes = 0;
    };
    /// Senses a page with the read-retry `level` (0: as usual) and decodes the codewords of `ranges`. Returns
    /// the most bits that were corrected in one of them, or nothing if one could not be corrected.
    [[nodiscard]] std::optional<std::uint32_t> sense(const hal::FlashAddress& page, const BlockWear& wear,
                                                     std::span<const Range> ranges, std::uint32_t level);

    [[nodiscard]] const FaultStatistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = {}; }

    /// Saves or loads the history of the blocks. Simulated time and statistics start at 0: the data of a
    /// loaded drive is as old as faults.age says.
    template <class Archive>
    void serialize(Archive& archive);

  private:
    /// The history of a block that was programmed, erased or read.
    struct History {
        std::uint64_t programs = 0;
        std::uint64_t erases = 0;  ///< erases, including failed ones
        std::uint64_t reads = 0;   ///< pages sensed since it was erased
        std::vector<hal::Ps> programmed_at;
        std::vector<float> inherited;  ///< by page: error rate that a copy inherited; empty if no page did

        template <class Archive>
        void serialize(Archive& archive) {
            archive(programs, erases, reads);
        }
    };
    History& history(const hal::FlashAddress& at);
    [[nodiscard]] std::uint64_t word(const hal::FlashAddress& block, std::uint32_t erases) const;
    [[nodiscard]] bool scripted(ScriptedFault::Kind kind, const hal::FlashAddress& at,
                                std::uint64_t nth) const;
    [[nodiscard]] bool worn_out(const hal::FlashAddress& block, double cycles) const;
    [[nodiscard]] double error_rate(const hal::FlashAddress& page, const BlockWear& wear);

    FaultConfig config_;
    double slc_errors_;
    EccConfig ecc_;
    NandGeometry geometry_;
    std::vector<ScriptedFault> script_;  ///< the faults of this die
    std::vector<std::unique_ptr<History>> blocks_;
    hal::Ps now_{-1};  ///< negative: simulated time has not begun
    FaultStatistics statistics_;
};

}  // namespace solidtlm::hw
