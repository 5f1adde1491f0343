// SPDX-License-Identifier: Apache-2.0
//
// Pooled TLM-2.0 payloads with one extension each (IEEE 1666-2011 14.5: memory manager, 14.21: extensions).
#pragma once

#include <cstdint>
#include <memory>
#include <tlm>
#include <type_traits>
#include <vector>

#include "fw/hal/check.h"

namespace solidtlm::hw {

/// A pool of payloads that already carry an `Extension`. The extension survives free(): it belongs to the
/// pool's slot and is reused in place, so the caller of take() must set every field of it. free() resets the
/// payload's command, data, byte enables, DMI hint and response, but not its address. The pool must outlive
/// its payloads.
template <class Extension>
class PayloadPool : public tlm::tlm_mm_interface {
    static_assert(std::is_base_of_v<tlm::tlm_extension<Extension>, Extension>);

  public:
    /// At most `most` payloads are in use at once.
    explicit PayloadPool(std::size_t most) : most_(most) {}
    PayloadPool(const PayloadPool&) = delete;
    PayloadPool& operator=(const PayloadPool&) = delete;
    ~PayloadPool() override {
        for (const auto& slot : slots_) {
            slot->payload.clear_extension(&slot->extension);
        }
    }

    /// A payload with reference count 1 and response TLM_INCOMPLETE_RESPONSE. Give it back with release().
    tlm::tlm_generic_payload& take() {
        if (free_.empty()) {
            SOLIDTLM_CHECK(slots_.size() < most_, "no more payloads are out than their users can hold");
            slots_.push_back(std::make_unique<Slot>());
            Slot& slot = *slots_.back();
            slot.payload.set_mm(this);
            slot.payload.set_extension(&slot.extension);
            free_.push_back(&slot.payload);
        }
        tlm::tlm_generic_payload* payload = free_.back();
        free_.pop_back();
        payload->acquire();
        return *payload;
    }

    /// Takes a payload for an access to `bytes` modelled bytes at `address`; `data` is their content
    /// (extensions.h) or null.
    tlm::tlm_generic_payload& take(tlm::tlm_command command, std::uint64_t address, void* data,
                                   std::uint32_t bytes) {
        tlm::tlm_generic_payload& payload = take();
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char*>(data));
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        return payload;
    }

    /// Payloads that are in use now.
    [[nodiscard]] std::size_t in_use() const { return slots_.size() - free_.size(); }

    void free(tlm::tlm_generic_payload* payload) override {
        payload->set_command(tlm::TLM_IGNORE_COMMAND);
        payload->set_data_ptr(nullptr);
        payload->set_data_length(0);
        payload->set_byte_enable_ptr(nullptr);
        payload->set_dmi_allowed(false);
        payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        free_.push_back(payload);
    }

  private:
    struct Slot {
        tlm::tlm_generic_payload payload;
        Extension extension;
    };
    std::size_t most_;
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace solidtlm::hw
