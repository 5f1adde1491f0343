// SPDX-License-Identifier: Apache-2.0
//
// The shadow model: gives writes their content and compares every read with what the device must return.
//
// Order. The device orders overlapping commands by acceptance, which is the order of issued(). A read is
// therefore compared with the state at its issue, no matter what completes in between.
//
// Content. A sector's identity follows from its 4 KiB block's identity and its place in the block when the
// source knows block identities, so that equal blocks are equal sector by sector; a block of identity 0 is
// zeros. Otherwise every sector of every write gets an identity that occurs nowhere else. A write that brings
// its contents along (Command::data) keeps them; they have the identity that makes them, or else a hash.
//
// TRIM (ACS-3 7.10.3.2). RZAT: every trimmed sector reads zeros, those of a mapping unit that is trimmed in
// part included. DRAT alone: what the first read returns must stay. Neither: reads may return anything and
// are not checked. A sector never written reads zeros, trimmed or not.
//
// A read that failed has sent what comes before Command::error_lba: that much of it is compared.
//
// A failed write or trim leaves each of its sectors either old or new until the sector is written again,
// unless too many fail in a row (doubts.h). A command that was issued again because of another command's
// error may have been executed twice. A read among those is not compared where a later command overlaps it.
// Where a write or trim among those overlaps a later command, either content is accepted.
//
// Power cuts (power_cut()). A change is durable when it was acknowledged and is a FUA or write-through write,
// or when a FLUSH that was issued after its completion has completed; VerifierConfig says when a TRIM is.
// After a cut a sector may hold its last durable content or anything sent later. What the first read or
// audit() finds then must stay. A TRIM that is never durable may bring back what was there before.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "fw/hal/types.h"
#include "testbench/host/command.h"
#include "testbench/verify/doubts.h"
#include "testbench/verify/shadow_map.h"

namespace solidtlm::testbench {

/// When a TRIM that has completed survives a power cut.
enum class TrimDurability : std::uint8_t { never, after_flush, on_completion };

struct VerifierConfig {
    hal::ContentMode content = hal::ContentMode::tags;
    std::uint64_t sectors = 0;             ///< capacity of the device
    bool deterministic_after_trim = true;  ///< DRAT
    bool zeros_after_trim = true;          ///< RZAT
    bool power_cuts = false;               ///< power_cut() will be called
    bool volatile_cache = true;            ///< a write is not durable on completion
    TrimDurability trims = TrimDurability::never;
    std::size_t doubts_kept = Doubts::kAtEase;  ///< see there
};

struct Mismatch {
    Lba lba;
    std::uint64_t expected = 0;            ///< identity
    std::uint64_t found = 0;               ///< identity, or a hash of bytes that have none
    std::uint64_t read = 0;                ///< sequence of the read
    std::optional<std::uint64_t> written;  ///< sequence of the command that last wrote there (modulo 2^30)
};

struct VerifierCounts {
    std::uint64_t reads_checked = 0;      ///< read commands with at least one sector compared
    std::uint64_t sectors_checked = 0;    ///< sectors compared
    std::uint64_t mismatches = 0;         ///< sectors
    std::uint64_t unchecked_trimmed = 0;  ///< sectors: anything goes, or the first read after a TRIM
    std::uint64_t unchecked_retried = 0;  ///< sectors of a read issued again that a later command overlaps
    std::uint64_t unchecked_reads = 0;    ///< read commands: content mode none
    std::uint64_t failed_reads = 0;       ///< read commands
    std::uint64_t failed_changes = 0;     ///< writes and trims
    std::uint64_t audited_sectors = 0;    ///< sectors looked at after a power cut, without a read
};

class Verifier : public CommandObserver {
  public:
    static constexpr std::size_t kMismatchesKept = 10;

    explicit Verifier(const VerifierConfig& config);

    /// What the device holds before the first command. `number` tells the writes among these apart. Fills
    /// `content` (content_stride() bytes per sector). REQUIRES: a content mode other than none.
    void preload(std::uint64_t number, std::uint32_t first_sector, Lba lba, std::span<std::byte> content);
    /// `lba` will be preloaded soon. Concerns the model's speed alone.
    void prefetch(Lba lba) const { shadow_.prefetch(lba.value); }
    /// Trimmed before the first command.
    void preload_trim(Lba lba, std::uint64_t sectors);
    /// What the sectors from `lba` on hold now, found without a command: compared like a read.
    void check(Lba lba, std::span<const std::byte> content);

    void issued(Command& command) override;
    void completed(Command& command) override;
    void finished() override {}

    /// The drive was told to write back all it held, and has done so. Nothing is outstanding.
    void written_back();
    /// The device has lost power, and every outstanding command has failed. REQUIRES: config.power_cuts.
    void power_cut();
    /// What the sectors from `lba` on hold after a power cut, before any command is carried out.
    void audit(Lba lba, std::span<const std::byte> content);
    /// The first sector from `lba` on, at most `end`, that may hold something.
    [[nodiscard]] std::uint64_t next_known(std::uint64_t lba, std::uint64_t end) const {
        return shadow_.next_changed(lba, end);
    }

    /// What is known of a drive, to or from a saved one; `archive` is one of cereal's. REQUIRES:
    /// config.power_cuts; nothing has happened since written_back() or power_cut(), or at all.
    template <class Archive>
    void serialize(Archive& archive);

    [[nodiscard]] const VerifierCounts& counts() const { return counts_; }
    /// The first kMismatchesKept of them.
    [[nodiscard]] const std::vector<Mismatch>& mismatches() const { return mismatches_; }
    [[nodiscard]] bool passed() const { return counts_.mismatches == 0; }
    [[nodiscard]] const Doubts& doubts() const { return doubts_; }
    /// What the device should hold now, for checks at rest.
    [[nodiscard]] SectorState state(Lba lba) const { return shadow_.get(lba.value); }

    /// Identity of sector `index` (0-7) of a 4 KiB block. Block identity 0: zeros.
    [[nodiscard]] static std::uint64_t sector_identity(std::uint64_t block_identity, std::uint32_t index);

  private:
    /// A change that was acknowledged and may still be lost, and what was there before it.
    struct Unsafe {
        std::uint32_t writer = 0;
        std::vector<StateRange> before;
    };
    using Verdict = ReadVerdict;

    /// Of all commands that the drive has ever seen, those before it was saved included.
    [[nodiscard]] std::uint64_t number_of(const Command& command) const {
        return earlier_ + command.sequence;
    }
    [[nodiscard]] std::uint32_t writer_of(const Command& command) const {
        return SectorState::writer_of(number_of(command));
    }
    void issue_write(Command& command);
    void issue_read(Command& command);
    void issue_trim(Command& command);
    void issue_again(const Command& command);
    [[nodiscard]] std::uint32_t plain_matches(const Command& command, std::uint32_t sectors) const;
    void complete_read(Command& command, std::uint32_t sectors);
    void fail(const Command& command);
    void keep_until_durable(const Command& command);
    void flushed(const Command& command);
    void settle(const Command& read, std::uint64_t lba, const SectorState& expected, std::uint64_t found);
    [[nodiscard]] static StateRange before_write(const Command& command);
    void hold(const Command& command);
    void let_go(const Command& command);
    void collect_doubts();

    void trim(std::uint64_t first, std::uint64_t end, const SectorState& trimmed,
              std::vector<StateRange>& saved);
    [[nodiscard]] SectorState trimmed_state(std::uint32_t writer) const;
    void put_content(std::uint64_t identity, std::byte* content) const;
    [[nodiscard]] std::uint64_t write_identity(const Command& command, std::uint32_t sector) const;
    Verdict judge(std::uint64_t lba, const SectorState& expected, std::uint64_t found);
    void note(const Command& command, std::uint64_t lba, const SectorState& expected, std::uint64_t found);
    [[nodiscard]] std::uint64_t found_identity(const Command& command, std::uint32_t sector) const;

    const VerifierConfig config_;
    ShadowMap shadow_;
    std::unordered_map<std::uint64_t, std::vector<StateRange>>
        trims_;  ///< outstanding: what was there before
    Doubts doubts_;
    std::vector<std::uint64_t> outstanding_;  ///< number_of() each
    /// By outstanding command: the writers in doubt that it has seen, if any.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> held_;
    std::deque<Unsafe> unsafe_;                                 ///< in order of completion
    std::uint64_t made_durable_ = 0;                            ///< taken off unsafe_
    std::unordered_map<std::uint64_t, std::uint64_t> flushes_;  ///< outstanding: what they make durable
    std::vector<std::uint32_t> lazy_trims_;                     ///< writers; TrimDurability::never
    std::uint64_t earlier_ = 0;                                 ///< commands that a loaded drive had seen
    std::uint64_t next_sequence_ = 0;                           ///< number_of() the next command
    std::uint64_t cut_at_ = 0;  ///< number_of() the first command after the last power cut
    VerifierCounts counts_;
    std::vector<Mismatch> mismatches_;
};

}  // namespace solidtlm::testbench
