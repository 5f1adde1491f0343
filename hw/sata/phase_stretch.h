// SPDX-License-Identifier: Apache-2.0
//
// Stretches (hw/tlm/stretch.h) of a data phase: full Data FISes of one transfer that nobody disturbs. A
// stretch ends before the last FISes of the transfer, or when another frame wants the wire, somebody else has
// the DRAM when the next access is due, or a command is aborted. The data path's buffers, transfers and
// ledgers are at every instant what they would be without it; only agenda and sockets are left out.
#pragma once

#include "hw/sata/data_path.h"
#include "hw/tlm/stretch.h"

namespace solidtlm::hw {

class PhaseStretch : public Stretch {
  public:
    virtual ~PhaseStretch() = default;
    /// The end that was foreseen has come; the stretch may last longer if it was delayed.
    void due();

    // Stretch
    void cut() final;
    void dram_asked() final;
    void dram_taken(Ps until) final;

  protected:
    static constexpr Ps kNever = Ps::max();

    PhaseStretch(DataPath& path, SataLink& link, StretchDram& dram);

    /// It has begun, with slot_.
    void started();
    /// Asks for a DRAM access at `at` of the next bytes of the transfer, at most so many.
    void access(Ps at, bool write, std::uint32_t at_most, std::byte* content);

    /// The end of a stretch that nobody cuts or delays: not before that instant. kNever: it is over now.
    [[nodiscard]] virtual Ps earliest_end() const = 0;
    /// When it will ask for the DRAM again, at the earliest.
    [[nodiscard]] virtual Ps next_access() const = 0;
    /// Data path and link go on by themselves.
    virtual void hand_back() = 0;
    /// So does the DRAM access that is under way.
    void hand_back_access(bool write);

    static std::uint32_t frame_bytes(FisType type, std::uint32_t data_bytes);

    DataPath& path_;
    SataLink& link_;
    StretchDram& dram_;
    const Ps data_time_;  ///< of a full Data FIS; 0 on an ideal link, which has no stretches
    Slot* slot_ = nullptr;
    DataPath::Access access_;  ///< the last DRAM access, and its length
    std::uint32_t access_bytes_ = 0;
};

}  // namespace solidtlm::hw
