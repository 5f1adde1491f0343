// SPDX-License-Identifier: Apache-2.0
//
// Flash as firmware sees it: operations that it hands to the flash controllers, with one completion each.
#pragma once

#include <cstdint>
#include <span>

#include "fw/hal/completion.h"
#include "fw/hal/ledger.h"
#include "fw/hal/types.h"

namespace solidtlm::hal {

enum class FlashOpcode : std::uint8_t {
    read,       ///< 00h-30h; with several planes 00h-32h ... 00h-30h. Array to page register to DRAM.
    program,    ///< 80h-10h; with several planes 80h-11h ... 80h-10h. DRAM to page register to array.
                ///< Several pages of a word line: 80h-1Ah after each page but the last, one tPROG for all.
    erase,      ///< 60h-D0h; with several planes 60h-60h-D0h
    copy_back,  ///< 00h-35h, 85h-10h: page to page within each plane; only metadata may cross the bus
};

constexpr std::array<std::string_view, 4> kFlashOpcodeNames{"read", "program", "erase", "copy_back"};
static_assert(kFlashOpcodeNames.size() == static_cast<std::size_t>(FlashOpcode::copy_back) + 1);
constexpr std::string_view name_of(FlashOpcode opcode) {
    return kFlashOpcodeNames[static_cast<std::size_t>(opcode)];
}

enum class FlashStatus : std::uint8_t {
    ok,
    uncorrectable,   ///< ECC could not correct the page (torn by a power cut, worn out)
    erased,          ///< the page read has not been programmed since its block was erased
    program_failed,  ///< status register bit 0 after a program: mark the block bad
    erase_failed,    ///< status register bit 0 after an erase: mark the block bad
    rule_violation,  ///< the die refused (order, erase before program, planes): a bug of firmware
    refused,         ///< firmware between caller and die has not begun the program, and begins none in its
                     ///< block before the erase. Nothing has failed.
};

/// The more severe of two statuses of one operation: rule_violation before failures and refusals, these
/// before the results that a read may have.
[[nodiscard]] constexpr FlashStatus worse(FlashStatus a, FlashStatus b) {
    constexpr std::array<int, 7> kSeverity{0, 2, 1, 3, 3, 4, 3};
    return kSeverity[static_cast<std::size_t>(a)] < kSeverity[static_cast<std::size_t>(b)] ? b : a;
}

/// A contiguous part of a page that crosses the bus, and its place in DRAM.
struct FlashPiece {
    std::uint8_t plane_slot = 0;     ///< index into FlashOp::address
    std::uint32_t column_bytes = 0;  ///< offset in the page's data area, a multiple of 512
    std::uint32_t length_bytes = 0;  ///< a multiple of 512
    DramAddress dram{kPadding};      ///< source or destination; kPadding: program zeros, no DRAM access

    static constexpr std::uint64_t kPadding = ~std::uint64_t{0};
};

/// Bytes of a page's spare area that firmware may use (the rest holds ECC parity).
constexpr std::size_t kMaxSpareBytes = 264;  // 8 + 4 for each of at most 64 mapping units

/// A flash operation. The caller owns it and does not change it, `spare` or `pieces` until `done` is called.
struct FlashOp {
    FlashOpcode opcode = FlashOpcode::read;
    Cause cause = Cause::host;
    std::uint8_t planes = 1;
    /// program: pages of each plane that one array operation programs. They are a whole word line.
    std::uint8_t word_line_pages = 1;
    /// slots() of them. Of each page: same channel, die and page number; distinct planes. With several pages
    /// of a word line these come from the lower page up, in the same blocks.
    std::array<FlashAddress, kMaxPagesPerOp> address{};
    std::array<FlashAddress, kMaxPlanesPerOp> source{};  ///< copy_back: where each plane's page comes from
    std::span<const FlashPiece> pieces{};                ///< data to move; empty for erase and copy_back
    /// program: `pieces` consist of this many groups over the same columns, one group after the other, which
    /// are XORed on their way to the page. The number of pieces is a multiple of it.
    std::uint8_t xor_sources = 1;
    bool accumulate = false;  ///< read: XORs the data onto the contents of its place in DRAM
    /// One bit per cell (DAh before the command). The first program of a block after its erase decides the
    /// mode of all its pages. Erases have no mode.
    bool slc = false;
    bool source_slc = false;  ///< copy_back: the mode in which its source is read
    /// The metadata to program, or room for metadata that is read: of each page equally many bytes, at most
    /// as many as the flash keeps. Empty: a read leaves it out, a copy-back copies it.
    std::span<std::byte> spare{};
    Ledger* ledger = nullptr;              ///< the hardware marks it if it is not null
    std::uint32_t command_id = 0;          ///< HostCommand::id that it serves; 0: none or several
    FlashStatus status = FlashStatus::ok;  ///< set before `done`
    std::array<FlashStatus, kMaxPagesPerOp> plane_status{};  ///< status of each entry of `address`
    /// read: most bits that ECC corrected in one codeword; kRebuilt if parity was needed
    std::uint16_t corrected_bits = 0;
    std::uint8_t retries = 0;  ///< read: steps of the read-retry table that were needed
    Completion done;

    static constexpr std::uint16_t kRebuilt = 0xFFFF;

    /// Valid entries of `address`: pages or blocks.
    [[nodiscard]] std::uint32_t slots() const { return std::uint32_t{planes} * word_line_pages; }
    /// The page that it reads, or copies, is in SLC mode.
    [[nodiscard]] bool senses_slc() const { return opcode == FlashOpcode::copy_back ? source_slc : slc; }
};

class FactoryMarks {
  public:
    virtual ~FactoryMarks() = default;
    /// Factory bad-block mark, as read from the spare area when the drive was made (ONFI 5.1). Costs no time.
    [[nodiscard]] virtual bool factory_bad(const FlashAddress& block) const = 0;
    /// True if no block has such a mark; otherwise each block must be checked.
    [[nodiscard]] virtual bool all_good() const { return false; }
};

class Flash : public FactoryMarks {
  public:
    /// Starts `op`; calls `op.done` when it has ended, also if it failed.
    virtual void submit(FlashOp& op) = 0;
    /// Operations of all causes that were submitted to a die and have not ended.
    [[nodiscard]] virtual std::uint32_t pending(Channel channel, Die die) const = 0;
};

}  // namespace solidtlm::hal
