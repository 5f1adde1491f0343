// SPDX-License-Identifier: Apache-2.0
//
// The socket to the host's memory, and to what else answers there, such as an interrupt controller: the root
// of PCI Express (PCI Express Base 3.1, 2.4), as an initiator of the whole base protocol (IEEE
// 1666-2011, 15.2).
//
//   access() --> waits for a place --> queue of payloads --> under way --> answered
//
// An access begins with nb_transport_fw(BEGIN_REQ, delay 0) at the instant at which its bytes are at the
// root. If memory answers at once (TLM_COMPLETED or BEGIN_RESP, delay 0), it has ended when access() returns.
// Memory may also annotate a delay, end the request, and respond later; its client is told then.
//
// Writes are posted: the caller is done when the write has its place, and waits only while there is none. A
// write that memory refuses later is counted. What was asked for first begins first, and a strict write
// begins when memory has answered all writes before it, so that a completion is never visible before its
// data.
//
// Memory that offers DMI by the hint of a response (14.16) is accessed directly while no other write is under
// way; its latencies are per byte (11.2.5). The bytes move when the access begins, and it ends after the
// latency. A target that has b_transport alone behind a socket that does not convert
// (tlm_utils::passthrough_target_socket, multi_passthrough_target_socket) needs use_b_transport().
//
// Memory that answers later does so at the kernel's time, so the agenda must stay in step with the kernel
// (quantum 0). Memory has its own power: forget() at a power cut forgets who asked; writes go on, and so does
// the protocol with memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "hw/nvme/prp_walk.h"
#include "hw/tlm/agenda.h"
#include "hw/tlm/extensions.h"
#include "hw/tlm/payload_pool.h"
#include "hw/tlm/ring.h"

namespace solidtlm::hw::nvme {

/// Who has asked for an access.
class MemoryClient {
  public:
    /// Access `id`, which did not end at once, has ended. `ok`: something has answered.
    virtual void memory_answered(std::uint64_t id, bool ok) = 0;

  protected:
    ~MemoryClient() = default;
};

struct MemoryRequest {
    enum class Order : std::uint8_t {
        relaxed,  ///< may be visible before writes that were asked for earlier
        strict,
    };
    bool write = false;
    Order order = Order::relaxed;
    std::uint64_t address = 0;
    std::span<std::byte> bytes;      ///< at most a page; must last until the end, unless forget() comes first
    MemoryClient* client = nullptr;  ///< null: nothing follows
    std::uint64_t id = 0;            ///< chosen by the client
};

class MemorySocket final : public tlm_utils::simple_initiator_socket<MemorySocket> {
  public:
    /// Places: accesses that memory has not answered, and posted writes. A root complex has about as many
    /// headers' credits for posted and for non-posted requests.
    static constexpr std::size_t kPlaces = 64;

    /// At most `most` accesses wait for a place.
    MemorySocket(const char* name, Agenda& agenda, std::size_t most);

    /// Nothing: it has not ended; the client is told. Otherwise false: nothing answers there.
    std::optional<bool> access(const MemoryRequest& request) {
        if (!waiting_.empty() || taken_ == kPlaces) {
            waiting_.push(request);
            return std::nullopt;
        }
        return take(request);
    }
    /// From now on threads call b_transport. Before the start of simulation.
    void use_b_transport() { blocking_ = true; }
    /// The drive has lost power: nothing is asked for any more, and no client is told.
    void forget();

    /// Writes that memory refused when their callers were done.
    [[nodiscard]] std::uint64_t refused_writes() const { return refused_writes_; }
    /// Accesses made directly.
    [[nodiscard]] std::uint64_t direct_accesses() const { return direct_accesses_; }

  private:
    using Payload = tlm::tlm_generic_payload;
    using Order = MemoryRequest::Order;
    /// What a payload carries for its initiator. The bytes are the payload's own, because memory may answer
    /// after they are gone elsewhere.
    struct Taken : PooledExtension<Taken> {
        MemoryRequest request;
        std::uint64_t life = 0;
        bool direct = false;  ///< once it has begun
        std::array<std::byte, kPageBytes> bytes;
    };
    /// A process that calls b_transport.
    struct Caller {
        sc_core::sc_event go;
        Payload* payload = nullptr;
    };

    std::optional<bool> take(const MemoryRequest& request);
    Payload& place_for(const MemoryRequest& request);
    void free_place(Payload& payload);
    [[nodiscard]] bool may_begin(const MemoryRequest& request) const;
    /// True: memory answered at this instant.
    bool begin(Payload& payload);
    bool begin_direct(Payload& payload);
    void request_ends(Payload& payload, Ps delay);
    bool end(Payload& payload);
    void finish(Payload& payload);
    void go_on();

    [[nodiscard]] bool describes(std::uint64_t address, std::size_t bytes) const;
    [[nodiscard]] bool is_direct(const MemoryRequest& request) const;
    [[nodiscard]] Ps direct_latency(const MemoryRequest& request) const;
    void move_directly(const MemoryRequest& request, std::span<std::byte> bytes);
    void learn(const Payload& hint);

    void hand_over(Payload& payload);
    void call_thread(Caller& caller);

    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end);

    // Entries of the agenda
    void request_ended(Payload* payload);
    void answered(Payload* payload);

    Agenda& agenda_;
    PayloadPool<Taken> payloads_{4 * kPlaces};  // memory may release them late
    Payload* spare_ = nullptr;                  ///< ready for the next access
    Ring<MemoryRequest> waiting_;               ///< for a place
    Ring<Payload*> queue_{kPlaces};             ///< they have one, and have not begun
    Payload* requesting_ = nullptr;             ///< between BEGIN_REQ and END_REQ
    std::size_t taken_ = 0;                     ///< places
    std::size_t writes_ = 0;                    ///< that have begun
    std::size_t direct_writes_ = 0;             ///< of these
    std::uint64_t life_ = 0;                    ///< power cuts so far
    std::optional<tlm::tlm_dmi> region_;        ///< that memory has described, perhaps without access

    bool blocking_ = false;
    std::vector<std::unique_ptr<Caller>> callers_;
    std::vector<Caller*> idle_;

    std::uint64_t refused_writes_ = 0;
    std::uint64_t direct_accesses_ = 0;
};

}  // namespace solidtlm::hw::nvme
