// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/verify/verifier.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "fw/hal/check.h"
#include "hw/tlm/content.h"

namespace solidtlm::testbench {
namespace {

using hal::ContentMode;
using Kind = SectorState::Kind;

constexpr std::uint64_t kMaxSectors = 65536;  // most sectors of one command

/// Bit that marks the numbers of preloaded writes, so that no command has the same number.
constexpr std::uint64_t kPreloaded = 1ULL << 47U;

std::uint64_t not_zeros(std::uint64_t identity) {
    return identity == 0 ? 1 : identity;
}

/// Identity of sector `sector` of a write from `first` on whose source gives no identities. Those of a 4 KiB
/// block are consecutive. split_mix64 is a bijection: blocks of different commands, or of one command,
/// differ.
std::uint64_t unique_identity(std::uint64_t command, Lba first, std::uint32_t sector) {
    const std::uint64_t place = first.value % hw::kRunSectors + sector;
    return not_zeros(hw::split_mix64(command * kMaxSectors + place / hw::kRunSectors) +
                     place % hw::kRunSectors);
}

/// The snapshot in Command::expected: one SectorState per sector.
SectorState saved_state(const Command& command, std::uint32_t sector) {
    SectorState state;
    std::memcpy(&state, command.expected.data() + std::size_t{sector} * sizeof state, sizeof state);
    return state;
}

void save_state(Command& command, std::uint32_t sector, const SectorState& state) {
    std::memcpy(command.expected.data() + std::size_t{sector} * sizeof state, &state, sizeof state);
}

/// Sectors of a failed read that the device sent before the error.
std::uint32_t sent_before_error(const Command& command) {
    const std::uint64_t error = command.error_lba.value;
    const bool within = error > command.lba.value && error < command.lba.value + command.sectors;
    return within ? static_cast<std::uint32_t>(error - command.lba.value) : 0;
}

/// The identity of a sector whose bytes belong to no identity.
std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

Verifier::Verifier(const VerifierConfig& config)
    : config_(config),
      shadow_(config.content == ContentMode::none ? 0 : config.sectors),
      doubts_(config.doubts_kept) {
    mismatches_.reserve(kMismatchesKept);
}

std::uint64_t Verifier::sector_identity(std::uint64_t block_identity, std::uint32_t index) {
    if (block_identity == 0) {
        return 0;
    }
    return not_zeros(hw::split_mix64(block_identity) + index);
}

std::uint64_t Verifier::write_identity(const Command& command, std::uint32_t sector) const {
    if (!command.data.empty()) {
        return found_identity(command, sector);
    }
    if (command.identities.empty()) {
        return unique_identity(number_of(command), command.lba, sector);
    }
    const ContentLayout::Place place = command.identity_layout.place(sector);
    if (place.identity >= command.identities.size()) {
        throw std::logic_error("a write has fewer content identities than 4 KiB blocks");
    }
    return sector_identity(command.identities[place.identity], place.index);
}

void Verifier::put_content(std::uint64_t identity, std::byte* content) const {
    if (config_.content == ContentMode::tags) {
        std::memcpy(content, &identity, sizeof identity);
    } else {
        hw::expand_content(identity, std::span<std::byte, hal::kSectorBytes>(content, hal::kSectorBytes));
    }
}

// These writes are older than any command: writer 0. No command is outstanding, and none can fail.
void Verifier::preload(std::uint64_t number, std::uint32_t first_sector, Lba lba,
                       std::span<std::byte> content) {
    SOLIDTLM_CHECK(config_.content != hal::ContentMode::none, "there are contents");
    const std::size_t stride = hal::content_stride(config_.content);
    const Lba first{lba.value - first_sector};
    const auto sectors = static_cast<std::uint32_t>(content.size() / stride);
    for (std::uint32_t sector = 0; sector < sectors;) {
        const std::uint64_t at = lba.value + sector;
        const std::uint64_t identity = unique_identity(kPreloaded | number, first, first_sector + sector);
        std::byte* const place = content.data() + sector * stride;
        if (config_.content == ContentMode::tags && at % hw::kRunSectors == 0 &&
            sectors - sector >= hw::kRunSectors) {
            hw::expand_run(identity, place);
            shadow_.set_run(at, identity, 0);
            sector += hw::kRunSectors;
        } else {
            put_content(identity, place);
            shadow_.set(at, SectorState{identity, 0, Kind::known});
            ++sector;
        }
    }
}

void Verifier::preload_trim(Lba lba, std::uint64_t sectors) {
    const std::uint64_t end = std::min(lba.value + sectors, shadow_.sectors());
    for (std::uint64_t at = shadow_.next_changed(lba.value, end); at < end;
         at = shadow_.next_changed(at + 1, end)) {
        shadow_.set(at, trimmed_state(SectorState::kPreloadedTrim));
    }
    if (config_.trims == TrimDurability::never) {
        lazy_trims_.push_back(SectorState::kPreloadedTrim);
    }
}

void Verifier::check(Lba lba, std::span<const std::byte> content) {
    const std::size_t stride = hal::content_stride(config_.content);
    Command command;
    command.operation = Operation::read;
    command.sequence = next_sequence_ - earlier_;
    command.lba = lba;
    command.sectors = stride == 0 ? 0 : static_cast<std::uint32_t>(content.size() / stride);
    command.content.assign(content.begin(), content.end());
    issue_read(command);
    complete_read(command, command.sectors);
}

void Verifier::issued(Command& command) {
    if (config_.content == ContentMode::none) {
        command.content.clear();
        return;
    }
    next_sequence_ = std::max(next_sequence_, number_of(command) + 1);
    if (command.retries > 0) {
        issue_again(command);
        return;
    }
    outstanding_.push_back(number_of(command));
    switch (command.operation) {
        case Operation::read:
            issue_read(command);
            break;
        case Operation::write:
            issue_write(command);
            break;
        case Operation::trim:
            issue_trim(command);
            break;
        case Operation::flush:
            flushes_[command.sequence] = made_durable_ + unsafe_.size();
            break;
    }
    const bool saved = command.operation == Operation::read || command.operation == Operation::write;
    if (saved && !doubts_.empty()) {
        hold(command);
    }
}

/// Records which doubtful writers the command has seen: what it reads, or leaves after a failure, may be
/// their data.
void Verifier::hold(const Command& command) {
    std::vector<std::uint32_t> writers;
    for (std::uint32_t sector = 0; sector < command.sectors; ++sector) {
        const std::uint32_t writer = saved_state(command, sector).writer;
        if ((writers.empty() || writers.back() != writer) && doubts_.about(writer)) {
            writers.push_back(writer);
        }
    }
    if (!writers.empty()) {
        held_.emplace(number_of(command), std::move(writers));
    }
}

void Verifier::let_go(const Command& command) {
    std::erase(outstanding_, number_of(command));
    held_.erase(number_of(command));
    if (doubts_.worth_collecting()) {
        collect_doubts();
    }
}

void Verifier::collect_doubts() {
    std::vector<std::uint32_t> held;
    for (const auto& [number, writers] : held_) {
        held.insert(held.end(), writers.begin(), writers.end());
    }
    const auto hold_before = [&held](const std::vector<StateRange>& before) {
        for (const StateRange& range : before) {
            for (const SectorState& state : range.states) {
                if (held.empty() || held.back() != state.writer) {
                    held.push_back(state.writer);
                }
            }
        }
    };
    for (const auto& [sequence, before] : trims_) {
        hold_before(before);
    }
    for (const Unsafe& change : unsafe_) {
        hold_before(change.before);
    }
    const auto oldest = std::ranges::min_element(outstanding_);
    doubts_.collect(shadow_, held, oldest == outstanding_.end() ? next_sequence_ : *oldest);
}

void Verifier::issue_read(Command& command) {
    command.expected.resize(std::size_t{command.sectors} * sizeof(SectorState));
    shadow_.each(
        command.lba.value, command.sectors,
        [&command](std::uint32_t sector, const SectorState& state) { save_state(command, sector, state); });
}

void Verifier::issue_write(Command& command) {
    const std::size_t stride = hal::content_stride(config_.content);
    command.expected.resize(std::size_t{command.sectors} * sizeof(SectorState));
    command.content.resize(std::size_t{command.sectors} * stride);
    const std::uint32_t writer = writer_of(command);
    shadow_.change(command.lba.value, command.sectors,
                   [this, &command, stride, writer](std::uint32_t sector, const SectorState& before) {
                       const std::uint64_t identity = write_identity(command, sector);
                       if (command.data.empty()) {
                           put_content(identity, command.content.data() + sector * stride);
                       }
                       save_state(command, sector, before);
                       return SectorState{identity, writer, Kind::known};
                   });
}

SectorState Verifier::trimmed_state(std::uint32_t writer) const {
    const Kind kind = config_.zeros_after_trim           ? Kind::known
                      : config_.deterministic_after_trim ? Kind::unseen
                                                         : Kind::anything;
    return SectorState{0, writer, kind};
}

void Verifier::issue_trim(Command& command) {
    const SectorState trimmed = trimmed_state(writer_of(command));
    std::vector<StateRange>& saved = trims_[command.sequence];
    for (const TrimRange& range : command.ranges) {
        trim(range.lba.value, range.lba.value + range.sectors, trimmed, saved);
    }
}

/// Sectors that were never changed read zeros before and after a trim.
void Verifier::trim(std::uint64_t first, std::uint64_t end, const SectorState& trimmed,
                    std::vector<StateRange>& saved) {
    end = std::min(end, shadow_.sectors());
    std::uint64_t lba = shadow_.next_changed(first, end);
    while (lba < end) {
        const std::uint64_t page_end =
            std::min(end, (lba / ShadowMap::kPageSectors + 1) * ShadowMap::kPageSectors);
        StateRange& before = saved.emplace_back();
        before.first = lba;
        before.states.reserve(page_end - lba);
        for (; lba < page_end; ++lba) {
            before.states.push_back(shadow_.get(lba));
            shadow_.set(lba, trimmed);
        }
        lba = shadow_.next_changed(lba, end);
    }
}

/// The command may have been executed before the error, and is now executed again, after commands that were
/// issued later. Where they overlap, either content may remain.
void Verifier::issue_again(const Command& command) {
    if (command.operation == Operation::write) {
        for (std::uint32_t sector = 0; sector < command.sectors; ++sector) {
            const std::uint64_t lba = command.lba.value + sector;
            const SectorState current = shadow_.get(lba);
            if (current.writer != writer_of(command)) {
                doubts_.add_overtaken(current.writer, lba,
                                      {write_identity(command, sector), writer_of(command), Kind::known},
                                      next_sequence_);
            }
        }
    } else if (command.operation == Operation::trim) {
        for (const TrimRange& range : command.ranges) {
            const std::uint64_t end = std::min(range.lba.value + range.sectors, shadow_.sectors());
            for (std::uint64_t lba = shadow_.next_changed(range.lba.value, end); lba < end;
                 lba = shadow_.next_changed(lba + 1, end)) {
                const SectorState current = shadow_.get(lba);
                if (current.writer != writer_of(command)) {
                    doubts_.add_overtaken(current.writer, lba, trimmed_state(writer_of(command)),
                                          next_sequence_);
                }
            }
        }
    }
}

void Verifier::completed(Command& command) {
    const bool failed = command.status == CommandStatus::failed;
    if (command.operation == Operation::read) {
        counts_.failed_reads += failed ? 1U : 0U;
        if (config_.content != ContentMode::none) {
            complete_read(command, failed ? sent_before_error(command) : command.sectors);
            let_go(command);
        } else if (!failed) {
            ++counts_.unchecked_reads;
        }
        return;
    }
    if (failed && command.operation != Operation::flush) {
        ++counts_.failed_changes;
        if (config_.content != ContentMode::none) {
            fail(command);
        }
    }
    if (failed && command.operation == Operation::trim && config_.trims == TrimDurability::never) {
        lazy_trims_.push_back(writer_of(command));  // it may have been carried out in part
    }
    if (!failed && config_.power_cuts && config_.content != ContentMode::none) {
        keep_until_durable(command);
    }
    if (command.operation == Operation::trim) {
        trims_.erase(command.sequence);
    } else if (command.operation == Operation::flush) {
        flushes_.erase(command.sequence);
    }
    if (config_.content != ContentMode::none) {
        let_go(command);
    }
}

void Verifier::fail(const Command& command) {
    std::vector<StateRange> before;
    if (command.operation == Operation::trim) {
        before = std::move(trims_[command.sequence]);
    } else {
        before.push_back(before_write(command));
    }
    doubts_.add(writer_of(command), std::move(before), Doubts::Why::failed, next_sequence_);
}

StateRange Verifier::before_write(const Command& command) {
    StateRange before{command.lba.value, {}};
    before.states.reserve(command.sectors);
    for (std::uint32_t sector = 0; sector < command.sectors; ++sector) {
        before.states.push_back(saved_state(command, sector));
    }
    return before;
}

std::uint64_t Verifier::found_identity(const Command& command, std::uint32_t sector) const {
    const std::size_t stride = hal::content_stride(config_.content);
    const std::span<const std::byte> content(command.content.data() + sector * stride, stride);
    if (config_.content == ContentMode::tags) {
        std::uint64_t identity = 0;
        std::memcpy(&identity, content.data(), sizeof identity);
        return identity;
    }
    const auto identity = hw::identify_content(content.first<hal::kSectorBytes>());
    return identity ? *identity : hash_bytes(content);
}

/// Number of leading sectors that still match the state when the read was sent, so that they need no further
/// check. Nearly always, these are all sectors.
std::uint32_t Verifier::plain_matches(const Command& command, std::uint32_t sectors) const {
    if (config_.content != ContentMode::tags || command.retries > 0 || cut_at_ > 0) {
        return 0;
    }
    constexpr std::size_t kStride = hal::content_stride(ContentMode::tags);
    const std::byte* const content = command.content.data();
    for (std::uint32_t sector = 0; sector < sectors; ++sector) {
        const SectorState expected = saved_state(command, sector);
        if (std::memcmp(content + sector * kStride, &expected.identity, kStride) != 0 ||
            (expected.kind != Kind::known && expected.kind != Kind::pinned)) {
            return sector;
        }
    }
    return sectors;
}

void Verifier::complete_read(Command& command, std::uint32_t sectors) {
    const bool whole =
        command.content.size() == std::size_t{command.sectors} * hal::content_stride(config_.content);
    std::uint64_t checked = whole ? plain_matches(command, sectors) : 0;
    for (auto sector = static_cast<std::uint32_t>(checked); sector < sectors; ++sector) {
        const std::uint64_t lba = command.lba.value + sector;
        const SectorState expected = saved_state(command, sector);
        const std::uint64_t found = whole ? found_identity(command, sector) : 0;
        if (command.retries > 0 && shadow_.get(lba).writer != expected.writer) {
            ++counts_.unchecked_retried;
            continue;
        }
        const Verdict verdict = whole ? judge(lba, expected, found) : Verdict::mismatch;
        if (verdict != Verdict::mismatch) {
            settle(command, lba, expected, found);
        }
        if (verdict == Verdict::unchecked) {
            ++counts_.unchecked_trimmed;
            continue;
        }
        ++checked;
        if (verdict == Verdict::mismatch) {
            note(command, lba, expected, found);
        }
    }
    counts_.sectors_checked += checked;
    counts_.reads_checked += checked > 0 ? 1U : 0U;
}

Verifier::Verdict Verifier::judge(std::uint64_t lba, const SectorState& expected, std::uint64_t found) {
    switch (expected.kind) {
        case Kind::anything:
            return Verdict::unchecked;
        case Kind::unseen: {
            // The result of an earlier read holds, unless the sector was changed since.
            const SectorState current = shadow_.get(lba);
            if (current.writer != expected.writer) {
                return Verdict::unchecked;
            }
            if (current.kind == Kind::pinned) {
                return current.identity == found ? Verdict::match : Verdict::mismatch;
            }
            shadow_.set(lba, SectorState{found, current.writer, Kind::pinned});
            return Verdict::unchecked;
        }
        default:
            return expected.identity == found ? Verdict::match : doubts_.judge(lba, expected.writer, found);
    }
}

void Verifier::note(const Command& command, std::uint64_t lba, const SectorState& expected,
                    std::uint64_t found) {
    ++counts_.mismatches;
    if (mismatches_.size() == kMismatchesKept) {
        return;
    }
    Mismatch& mismatch = mismatches_.emplace_back();
    mismatch.lba = Lba{lba};
    mismatch.expected = expected.identity;
    mismatch.found = found;
    mismatch.read = command.sequence;
    if (expected.writer >= SectorState::kFirstCommand + earlier_) {
        mismatch.written = expected.writer - SectorState::kFirstCommand - earlier_;
    }
}

}  // namespace solidtlm::testbench
