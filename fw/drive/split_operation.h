// SPDX-License-Identifier: Apache-2.0
//
// Parts for a hal::Flash that carries out one operation as several operations of another hal::Flash: they are
// submitted together, and a join collects their ends.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fw/hal/flash.h"
#include "fw/runtime/executor.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

struct OperationPart {
    hal::FlashOp op;
    Ledger ledger;
    std::vector<hal::FlashPiece> pieces;

    /// Gets those of `all` that belong to pages `first` ... first + count - 1 of the whole operation; these
    /// are pages 0 ... count - 1 of the part.
    void take_pieces(std::span<const hal::FlashPiece> all, std::uint8_t first, std::uint8_t count = 1) {
        pieces.clear();
        for (hal::FlashPiece piece : all) {
            if (piece.plane_slot >= first && piece.plane_slot < first + count) {
                piece.plane_slot = static_cast<std::uint8_t>(piece.plane_slot - first);
                pieces.push_back(piece);
            }
        }
        op.pieces = pieces;
    }
    /// Submits the part; its end counts once in `join`. `marked` (may be null) is the ledger that the
    /// hardware marks: the part's own, which begins now, or another one.
    void start(hal::Flash& flash, Join& join, Ledger* marked, Ps now) {
        join.add();
        join_ = &join;
        op.ledger = marked;
        if (marked == &ledger) {
            ledger.start(Stage::firmware_execute, now);
        }
        op.done = hal::Completion{[](void* context) {
                                      auto& ended = *static_cast<OperationPart*>(context);
                                      ended.join_->done(ended.op.ledger);
                                  },
                                  this};
        flash.submit(op);
    }

  private:
    Join* join_ = nullptr;
};

/// The parts of one operation; reusable. `Part` derives from OperationPart.
template <class Part>
struct SplitOperation {
    SplitOperation(Executor& executor, std::uint32_t count, const char* waits_for)
        : parts(count), join(executor, waits_for) {}

    std::vector<Part> parts;
    Join join;
};

/// Grows to the largest number of operations that were under way at once.
template <class Part>
class SplitPool {
  public:
    using Split = SplitOperation<Part>;

    /// `waits_for` names the resource that a waiting operation needs, for reports.
    SplitPool(Executor& executor, std::uint32_t parts, const char* waits_for)
        : executor_(executor), parts_(parts), waits_for_(waits_for) {}

    Split& take() {
        if (free_.empty()) {
            splits_.push_back(std::make_unique<Split>(executor_, parts_, waits_for_));
            free_.push_back(splits_.back().get());
        }
        Split& split = *free_.back();
        free_.pop_back();
        return split;
    }
    void give_back(Split& split) { free_.push_back(&split); }

  private:
    Executor& executor_;
    std::uint32_t parts_;
    const char* waits_for_;
    std::vector<std::unique_ptr<Split>> splits_;
    std::vector<Split*> free_;
};

}  // namespace solidtlm::fw
