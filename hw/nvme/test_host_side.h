// SPDX-License-Identifier: Apache-2.0
//
// For tests and fuzzing of the device: the host's side of it, and the pages that its driver has named.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "hw/nvme/device.h"
#include "hw/tlm/blocking_access.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {

constexpr std::uint64_t kAlias = std::uint64_t{1} << 32U;  // memory is there, too: TLPs with 64-bit addresses
constexpr std::uint64_t kInterrupts = 0xFEE00000;
/// Memory of the host, which answers at once, and an interrupt controller.
struct HostSide : sc_core::sc_module {
    tlm_utils::simple_target_socket_optional<HostSide> target{"target"};
    tlm_utils::simple_initiator_socket<HostSide> registers{"registers"};
    sc_core::sc_signal<bool> line{"line"};
    std::vector<std::byte> memory = std::vector<std::byte>(2U << 20U);
    std::set<std::uint64_t> holes;  // pages
    std::map<std::uint64_t, Ps> written;
    std::vector<std::pair<Ps, Word>> messages;
    Ps delay{0};  // that the last access to a register returned
    std::function<void(bool write, std::uint64_t address, std::span<const std::byte> bytes)> seen;

    explicit HostSide(const sc_core::sc_module_name& name) : sc_module(name) {
        target.register_nb_transport_fw(this, &HostSide::nb_transport_fw);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) {
        const std::span bytes(reinterpret_cast<std::byte*>(payload.get_data_ptr()),
                              payload.get_data_length());
        const std::uint64_t address = payload.get_address() % kAlias;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        if (payload.get_address() == kInterrupts) {
            messages.emplace_back(kernel_now(), static_cast<Word>(get_little_endian(bytes)));
        } else if (address + bytes.size() > memory.size() || holes.contains(address / kPageBytes)) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        } else if (payload.is_write()) {
            std::ranges::copy(bytes, memory.begin() + static_cast<std::ptrdiff_t>(address));
            written[address] = kernel_now();
        } else {
            std::ranges::copy(std::span(memory).subspan(address, bytes.size()), bytes.begin());
        }
        if (seen) {
            seen(payload.is_write(), payload.get_address(), bytes);
        }
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset, Word& value,
                                    unsigned bytes = sizeof(Word)) {
        sc_core::sc_time time = sc_core::SC_ZERO_TIME;
        const tlm::tlm_response_status status =
            blocking_access(registers, command, offset, {reinterpret_cast<std::byte*>(&value), bytes}, time);
        delay = to_ps(time);
        return status;
    }
};

/// What a device may touch: the pages that its driver has named. What it reads there (queue entries with PRPs
/// and the addresses of queues, lists) names more. Messages of MSI-X go where the table points or pointed.
class NamedPages {
  public:
    explicit NamedPages(const NvmeDevice& device) : device_(device) {}

    void name(std::uint64_t address) { pages_.insert(address / kPageBytes); }
    /// The admin queues; of their memory the first page.
    void name_admin_queues() {
        name(device_.load(static_cast<std::uint32_t>(Register::asq)) |
             std::uint64_t{device_.load(static_cast<std::uint32_t>(Register::asq_high))} << 32U);
        name(device_.load(static_cast<std::uint32_t>(Register::acq)) |
             std::uint64_t{device_.load(static_cast<std::uint32_t>(Register::acq_high))} << 32U);
    }
    /// A message on its way goes where the table pointed when it was sent.
    void name_messages(std::uint32_t vectors) {
        for (std::uint32_t entry = kMsixTable; entry < kMsixTable + 16 * vectors; entry += 16) {
            messages_.insert(device_.load(entry) | std::uint64_t{device_.load(entry + 4)} << 32U);
        }
    }
    /// The device accesses memory. False: it must not.
    [[nodiscard]] bool allow(bool write, std::uint64_t address, std::span<const std::byte> bytes) {
        if (!pages_.contains(address / kPageBytes)) {
            return write && bytes.size() == sizeof(Word) && messages_.contains(address);
        }
        for (std::size_t i = 0; !write && i + 8 <= bytes.size(); i += 8) {
            name(get_little_endian(bytes.subspan(i, 8)));
        }
        return true;
    }
    void forget_pages() { pages_.clear(); }

  private:
    const NvmeDevice& device_;
    std::unordered_set<std::uint64_t> pages_;
    std::unordered_set<std::uint64_t> messages_;
};

}  // namespace solidtlm::hw::nvme
