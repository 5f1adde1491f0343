// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/interrupts.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr hal::Ps kCoalescingUnit{100'000'000};  // 100 us
constexpr std::uint32_t kVectorBytes = 16;
constexpr std::uint32_t kBits = 32;

}  // namespace

void Interrupts::set_msix(bool enabled, bool masked) {
    msix_ = enabled;
    function_masked_ = masked;
    send_pending();
}

void Interrupts::completed(const CompletionQueue& queue) {
    if (!msix_ || !queue.interrupts) {
        return;
    }
    Vector& vector = vectors_.at(queue.vector);
    const Word value = features_[Feature::coalescing];
    const std::uint32_t threshold = (value & 0xFF) + 1;
    const Word time = value >> 8U & 0xFF;
    if (time == 0 || features_.at_once(queue.vector) || ++vector.completions >= threshold) {
        send(vector);
    } else if (vector.completions == 1) {
        vector.due = surroundings_.time() + kCoalescingUnit * time;
        wake();
    }
}

void Interrupts::alarm(const Queues& queues) {
    for (std::size_t i = 0; i < vectors_.size(); ++i) {
        Vector& vector = vectors_[i];
        if (vector.due > surroundings_.time()) {
            continue;
        }
        const bool wanted = std::ranges::any_of(queues.completion, [i](const CompletionQueue& queue) {
            return queue.interrupts && queue.vector == i && queue.head != queue.tail;
        });
        if (wanted) {
            send(vector);
        } else {
            vector.rest();
        }
    }
    wake();
}

void Interrupts::wake() {
    const auto next = std::ranges::min_element(vectors_, {}, &Vector::due);
    if (next->due != hal::Ps::max()) {
        surroundings_.wake(next->due);
    }
}

void Interrupts::send(Vector& vector) {
    vector.rest();
    if (function_masked_ || (vector.table[3] & kMasked) != 0) {
        vector.pending = true;
    } else {
        surroundings_.message(vector.table[0] | std::uint64_t{vector.table[1]} << 32U, vector.table[2]);
    }
}

void Interrupts::send_pending() {
    for (Vector& vector : vectors_) {
        if (msix_ && vector.pending && !function_masked_ && (vector.table[3] & kMasked) == 0) {
            vector.pending = false;
            send(vector);
        }
    }
}

void Interrupts::update_pin(const Queues& queues) {
    const bool wanted = !msix_ && (mask_ & 1) == 0 &&
                        std::ranges::any_of(queues.completion, [](const CompletionQueue& queue) {
                            return queue.interrupts && queue.waiting() > 0;
                        });
    if (wanted != pin_) {
        pin_ = wanted;
        surroundings_.pin(pin_);
    }
}

Word Interrupts::table(std::uint32_t offset) const {
    const std::uint32_t vector = offset / kVectorBytes;
    return vector < vectors_.size() ? vectors_[vector].table.at(offset % kVectorBytes / sizeof(Word)) : 0;
}

void Interrupts::write_table(std::uint32_t offset, Word value) {
    const std::uint32_t vector = offset / kVectorBytes;
    if (vector < vectors_.size()) {
        vectors_[vector].table.at(offset % kVectorBytes / sizeof(Word)) = value;
        send_pending();
    }
}

Word Interrupts::pending(std::uint32_t offset) const {
    Word result = 0;
    for (std::uint32_t bit = 0; bit < kBits; ++bit) {
        const std::uint32_t vector = offset / 4 * kBits + bit;
        result |= vector < vectors_.size() && vectors_[vector].pending ? 1U << bit : 0;
    }
    return result;
}

void Interrupts::reset() {
    for (Vector& vector : vectors_) {
        vector.pending = false;
        vector.rest();
    }
    mask_ = 0;
}

void Interrupts::reset_function() {
    reset();
    vectors_.assign(vectors_.size(), Vector{});
    msix_ = function_masked_ = false;
}

}  // namespace solidtlm::hw::nvme
