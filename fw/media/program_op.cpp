// SPDX-License-Identifier: Apache-2.0
#include "fw/media/program_op.h"

namespace solidtlm::fw {

std::string describe_wait(const hal::FlashOp& op) {
    const hal::FlashAddress& at = op.address[0];
    const auto number = [](const char* what, std::uint32_t value) {
        return std::string(what) + std::to_string(value);
    };
    return "flash operation: " + std::string(name_of(op.opcode)) + number(" of channel ", at.channel.value) +
           number(" die ", at.die.value) + number(" plane ", at.plane.value) +
           number(" block ", at.block.value) + number(" page ", at.page.value) + " (" +
           std::string(hal::kCauseNames[static_cast<std::size_t>(op.cause)]) + ")";
}

hal::FlashOp superpage_op(const MediaLayout& layout, hal::FlashOpcode opcode, const SuperpageAddress& at,
                          Cause cause) {
    hal::FlashOp op;
    op.opcode = opcode;
    op.cause = cause;
    op.planes = static_cast<std::uint8_t>(layout.planes_per_pu());
    for (std::uint8_t plane = 0; plane < op.planes; ++plane) {
        op.address[plane] = layout.address(at, plane);
    }
    return op;
}

void ProgramOp::prepare(const Environment& environment, const SuperpageAddress& at,
                        std::span<const UnitWrite> units, const SpareHeader& header, Cause cause) {
    static constexpr std::array<std::uint8_t, hal::kMaxPlanesPerOp> kAllPlanes{0, 1, 2, 3, 4, 5, 6, 7};
    prepare(environment, at, std::span(kAllPlanes).first(environment.layout.planes_per_pu()), units, header,
            cause);
}

void ProgramOp::prepare(const Environment& environment, const SuperpageAddress& at,
                        std::span<const std::uint8_t> planes, std::span<const UnitWrite> units,
                        const SpareHeader& header, Cause cause) {
    const MediaLayout& layout = environment.layout;
    const std::uint32_t per_page = layout.units_per_page();
    // As a new one; what is beyond its planes does not count.
    op_.opcode = hal::FlashOpcode::program;
    op_.cause = cause;
    op_.planes = static_cast<std::uint8_t>(planes.size());
    op_.ledger = nullptr;
    op_.flow = 0;
    pieces_.clear();
    const std::size_t metadata = spare_bytes(per_page);
    for (std::uint8_t plane = 0; plane < op_.planes; ++plane) {
        op_.address[plane] = layout.address(at, planes[plane]);
        const std::span<const UnitWrite> page = units.subspan(std::size_t{plane} * per_page, per_page);
        const std::span<std::byte> spare = std::span(spare_).subspan(plane * metadata, metadata);
        add_pieces(environment, plane, page);
        encode_header(header, spare);
        for (std::uint32_t unit = 0; unit < per_page; ++unit) {
            encode_lpn(page[unit].lpn, unit, spare);
        }
    }
    op_.pieces = pieces_;
    op_.spare = std::span(spare_).first(op_.planes * metadata);
}

/// Neighbours on flash and in DRAM are one piece; not where planes are XORed, whose pieces have to match.
void ProgramOp::add_pieces(const Environment& environment, std::uint8_t plane,
                           std::span<const UnitWrite> page) {
    const std::uint32_t bytes = environment.layout.unit_bytes();
    const bool join = !environment.config.reliability.parity();
    hal::FlashPiece* last = nullptr;
    std::uint64_t behind = 0;  // where what goes on with the last piece lies in DRAM
    for (std::uint32_t unit = 0; unit < page.size(); ++unit) {
        const std::uint64_t dram = page[unit].dram.value;
        if (last != nullptr && join && dram == behind) {
            last->length_bytes += bytes;
        } else {
            pieces_.push_back(hal::FlashPiece{plane, unit * bytes, bytes, page[unit].dram});
            last = &pieces_.back();
        }
        behind = dram == hal::FlashPiece::kPadding ? dram : dram + bytes;
    }
}

}  // namespace solidtlm::fw
