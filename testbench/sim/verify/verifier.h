// SPDX-License-Identifier: Apache-2.0
//
// The shadow model: gives writes their content and compares every read with what the device must return.
//
// Order. The device orders overlapping commands by acceptance, which is the order of issued(). A read is
// therefore compared with the state at its issue; completions in between do not matter.
//
// Content. If the source knows block identities, a sector's identity follows from its 4 KiB block's identity
// and its place in the block, so that equal blocks have equal sectors; a block of identity 0 is zeros.
// Otherwise every sector of every write gets an identity that occurs nowhere else. A write that brings its
// own contents (Command::data) keeps them; their identity is the one that expands to them, or else a hash.
//
// TRIM (ACS-3 7.10.3.2). RZAT: every trimmed sector reads zeros, including those of a mapping unit that is
// trimmed in part. DRAT alone: later reads must return what the first read returned. Neither: reads may
// return anything and are not checked. A sector that was never written reads zeros, trimmed or not.
//
// A failed read has sent the sectors before Command::error_lba; these are compared.
//
// A failed write or trim leaves each of its sectors either old or new until the sector is written again,
// unless too many fail in a row (doubts.h). A command that was issued again because of another command's
// error may have been executed twice. If it is a read, it is not compared where a later command overlaps it.
// If it is a write or trim, either content is accepted where a later command overlaps it.
//
// Power cuts (power_cut()). A change is durable when it was acknowledged and is a FUA or write-through write,
// or when a FLUSH that was issued after its completion has completed; VerifierConfig says when a TRIM is
// durable. After a cut, a sector may hold its last durable content or anything sent later. The content that
// the first read or audit() then finds must stay. A TRIM that is never durable may bring back the content
// before it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "fw/hal/types.h"
#include "testbench/sim/host/command.h"
#include "testbench/sim/verify/doubts.h"
#include "testbench/sim/verify/shadow_map.h"

namespace solidtlm::testbench {

/// When a TRIM that has completed survives a power cut.
enum class TrimDurability : std::uint8_t { never, after_flush, on_completion };

struct VerifierConfig {
    hal::ContentMode content = hal::ContentMode::tags;
    std::uint64_t sectors = 0;             ///< capacity of the device
    bool deterministic_after_trim = true;  ///< DRAT
    bool zeros_after_trim = true;          ///< RZAT
    bool power_cuts = false;               ///< power_cut() will be called
    bool volatile_cache = true;            ///< completed writes are not yet durable
    TrimDurability trims = TrimDurability::never;
    std::size_t doubts_kept = Doubts::kAtEase;  ///< see Doubts
};

struct Mismatch {
    Lba lba;
    std::uint64_t expected = 0;  ///< identity that the sector should have
    std::uint64_t found = 0;     ///< identity that was found, or a hash of bytes that belong to no identity
    std::uint64_t read = 0;      ///< sequence number of the read
    /// sequence number of the command that last wrote there (modulo 2^30)
    std::optional<std::uint64_t> written;
};

struct VerifierCounts {
    std::uint64_t reads_checked = 0;      ///< read commands with at least one sector compared
    std::uint64_t sectors_checked = 0;    ///< sectors compared
    std::uint64_t mismatches = 0;         ///< sectors
    std::uint64_t unchecked_trimmed = 0;  ///< sectors: any content is allowed, or the first read after a TRIM
    std::uint64_t unchecked_retried = 0;  ///< sectors of a reissued read that a later command overlaps
    std::uint64_t unchecked_reads = 0;    ///< read commands: content mode none
    std::uint64_t failed_reads = 0;       ///< read commands
    std::uint64_t failed_changes = 0;     ///< writes and trims
    std::uint64_t audited_sectors = 0;    ///< sectors checked after a power cut, without a read
};

class Verifier : public CommandObserver {
  public:
    static constexpr std::size_t kMismatchesKept = 10;

    explicit Verifier(const VerifierConfig& config);

    /// What the device holds before the first command. `number` distinguishes these writes. Fills `content`
    /// (content_stride() bytes per sector). REQUIRES: a content mode other than none.
    void preload(std::uint64_t number, std::uint32_t first_sector, Lba lba, std::span<std::byte> content);
    /// Prefetches the entry of `lba`, which will be preloaded soon. Affects the model's speed only.
    void prefetch(Lba lba) const { shadow_.prefetch(lba.value); }
    /// Sectors trimmed before the first command.
    void preload_trim(Lba lba, std::uint64_t sectors);
    /// Compares the present contents of the sectors from `lba` on, found without a command, like a read.
    void check(Lba lba, std::span<const std::byte> content);

    void issued(Command& command) override;
    void completed(Command& command) override;
    void finished() override {}

    /// The drive was told to write back all its data, and has done so. No command is outstanding.
    void written_back();
    /// The device has lost power, and every outstanding command has failed. REQUIRES: config.power_cuts.
    void power_cut();
    /// Takes the contents of the sectors from `lba` on after a power cut, before any command is carried out.
    void audit(Lba lba, std::span<const std::byte> content);
    /// The first sector from `lba` on, at most `end`, that may hold something.
    [[nodiscard]] std::uint64_t next_known(std::uint64_t lba, std::uint64_t end) const {
        return shadow_.next_changed(lba, end);
    }

    /// Writes the knowledge about a drive to a saved drive, or reads it; `archive` is one of cereal's.
    /// REQUIRES: config.power_cuts; nothing has happened since written_back() or power_cut(), or at all.
    template <class Archive>
    void serialize(Archive& archive);

    [[nodiscard]] const VerifierCounts& counts() const { return counts_; }
    /// The first kMismatchesKept mismatches.
    [[nodiscard]] const std::vector<Mismatch>& mismatches() const { return mismatches_; }
    [[nodiscard]] bool passed() const { return counts_.mismatches == 0; }
    [[nodiscard]] const Doubts& doubts() const { return doubts_; }
    /// What the device should hold now, for checks while no command is outstanding.
    [[nodiscard]] SectorState state(Lba lba) const { return shadow_.get(lba.value); }

    /// Identity of sector `index` (0-7) of a 4 KiB block. Block identity 0: zeros.
    [[nodiscard]] static std::uint64_t sector_identity(std::uint64_t block_identity, std::uint32_t index);

  private:
    /// A change that was acknowledged and may still be lost, with the state before it.
    struct Unsafe {
        std::uint32_t writer = 0;
        std::vector<StateRange> before;
    };
    using Verdict = ReadVerdict;

    /// Number among all commands that the drive has ever seen, including those before it was saved.
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
        trims_;  ///< of outstanding trims: the state before them
    Doubts doubts_;
    std::vector<std::uint64_t> outstanding_;  ///< number_of() of each outstanding command
    /// By outstanding command: the doubtful writers that it has seen, if any.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> held_;
    std::deque<Unsafe> unsafe_;       ///< in order of completion
    std::uint64_t made_durable_ = 0;  ///< entries removed from unsafe_ so far
    /// by outstanding flush: how many changes it makes durable
    std::unordered_map<std::uint64_t, std::uint64_t> flushes_;
    std::vector<std::uint32_t> lazy_trims_;  ///< writers of trims under TrimDurability::never
    std::uint64_t earlier_ = 0;              ///< commands that a loaded drive had seen before it was saved
    std::uint64_t next_sequence_ = 0;        ///< number_of() of the next command
    std::uint64_t cut_at_ = 0;               ///< number_of() of the first command after the last power cut
    VerifierCounts counts_;
    std::vector<Mismatch> mismatches_;
};

}  // namespace solidtlm::testbench
