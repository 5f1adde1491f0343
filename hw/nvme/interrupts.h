// SPDX-License-Identifier: Apache-2.0
//
// Interrupts of the controller. Without MSI-X there is a pin, whose level follows from the completion queues
// that ask for interrupts and hold entries, unless INTMS masks it. With MSI-X each completion sends the
// message of its queue's vector; a masked vector remembers one. Feature 08h lets messages wait for more
// completions or for a time, except those of vector 0 (the admin queue's) and of vectors that feature 09h
// excludes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "hw/nvme/features.h"
#include "hw/nvme/queues.h"
#include "hw/nvme/surroundings.h"

namespace solidtlm::hw::nvme {

class Interrupts {
  public:
    Interrupts(std::uint32_t vectors, const Features& features, Surroundings& surroundings)
        : features_(features), surroundings_(surroundings), vectors_(vectors) {}

    /// The MSI-X capability of configuration space. The caller then updates the pin.
    void set_msix(bool enabled, bool masked);
    /// A completion for `queue` is on its way. It becomes visible before any message that is sent from now
    /// on.
    void completed(const CompletionQueue& queue);
    /// Entries have become visible, or the host has consumed some, or has changed the mask.
    void update_pin(const Queues& queues);
    /// Messages whose time has come. `queues`: a vector without entries sends nothing.
    void alarm(const Queues& queues);

    // INTMS, INTMC
    [[nodiscard]] Word mask() const { return mask_; }
    void set_mask(Word bits) { change_mask(mask_ | bits); }
    void clear_mask(Word bits) { change_mask(mask_ & ~bits); }
    // The table and the pending bits, by byte offset in each.
    [[nodiscard]] Word table(std::uint32_t offset) const;
    void write_table(std::uint32_t offset, Word value);
    [[nodiscard]] Word pending(std::uint32_t offset) const;

    /// The controller is disabled: nothing is pending, the table stays.
    void reset();
    /// The function is reset: the table, too.
    void reset_function();

  private:
    static constexpr std::uint32_t kWords = 4;  ///< address, upper address, data, vector control
    static constexpr Word kMasked = 1;
    struct Vector {
        std::array<Word, kWords> table{0, 0, 0, kMasked};
        bool pending = false;
        std::uint32_t completions = 0;  ///< since the last message
        hal::Ps due = hal::Ps::max();   ///< when it must be sent

        void rest() {
            completions = 0;
            due = hal::Ps::max();
        }
    };

    void change_mask(Word mask) {
        if (!msix_) {
            mask_ = mask;
        }
    }
    void send(Vector& vector);
    void send_pending();
    void wake();

    const Features& features_;
    Surroundings& surroundings_;
    std::vector<Vector> vectors_;
    bool msix_ = false;
    bool function_masked_ = false;
    Word mask_ = 0;
    bool pin_ = false;
};

}  // namespace solidtlm::hw::nvme
