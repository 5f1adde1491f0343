// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/memory_socket.h"

#include <algorithm>
#include <utility>

#include "fw/hal/check.h"
#include "hw/tlm/agenda_module.h"

namespace solidtlm::hw::nvme {

MemorySocket::MemorySocket(const char* name, Agenda& agenda, std::size_t most)
    : simple_initiator_socket(name), agenda_(agenda), waiting_(most) {
    register_nb_transport_bw(this, &MemorySocket::nb_transport_bw);
    register_invalidate_direct_mem_ptr(this, &MemorySocket::invalidate_direct_mem_ptr);
}

void MemorySocket::forget() {
    ++life_;
    waiting_.clear();
    for (std::size_t left = queue_.size(); left > 0; --left) {
        Payload* const payload = queue_.pop();
        if (payload->is_write()) {
            queue_.push(payload);
        } else {
            free_place(*payload);
        }
    }
}

// ---- Places and order

/// REQUIRES: a place is free.
std::optional<bool> MemorySocket::take(const MemoryRequest& request) {
    SOLIDTLM_CHECK(request.bytes.size() <= kPageBytes, "at most a page");
    const bool begins = queue_.empty() && may_begin(request);
    if (begins && is_direct(request) && direct_latency(request) == Ps{0}) {
        move_directly(request, request.bytes);
        return true;
    }
    Payload& payload = place_for(request);
    if (!begins) {
        queue_.push(&payload);
    } else if (begin(payload)) {
        const bool ok = end(payload);
        free_place(payload);
        return ok;
    }
    return request.write ? std::optional(true) : std::nullopt;
}

MemorySocket::Payload& MemorySocket::place_for(const MemoryRequest& request) {
    ++taken_;
    Payload& payload = spare_ != nullptr ? *std::exchange(spare_, nullptr) : payloads_.take();
    payload.reset();  // deletes the extensions that others have left to it (14.21)
    auto& taken = *payload.get_extension<Taken>();
    taken.request = request;
    taken.life = life_;
    taken.direct = false;
    if (request.write) {
        std::ranges::copy(request.bytes, taken.bytes.begin());
    }
    payload.set_command(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(request.address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(taken.bytes.data()));
    payload.set_data_length(static_cast<unsigned>(request.bytes.size()));
    payload.set_streaming_width(static_cast<unsigned>(request.bytes.size()));
    return payload;
}

/// Keeps the payload for the next access, if memory has let it go: memory that answers at once has one.
void MemorySocket::free_place(Payload& payload) {
    --taken_;
    if (spare_ != nullptr || payload.get_ref_count() != 1) {
        payload.release();
        return;
    }
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.set_dmi_allowed(false);
    spare_ = &payload;
}

/// Calls of b_transport may overlap, and then nothing but waiting keeps a read behind a write.
bool MemorySocket::may_begin(const MemoryRequest& request) const {
    const bool behind_writes = request.write ? request.order == Order::strict : blocking_;
    return requesting_ == nullptr && !(behind_writes && writes_ > 0);
}

bool MemorySocket::begin(Payload& payload) {
    if (is_direct(payload.get_extension<Taken>()->request)) {
        return begin_direct(payload);
    }
    writes_ += payload.is_write() ? 1 : 0;
    if (blocking_) {
        hand_over(payload);
        return false;
    }
    requesting_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = (*this)->nb_transport_fw(payload, phase, delay);
    if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        request_ends(payload, to_ps(delay));
    } else if (answer != tlm::TLM_ACCEPTED) {
        if (answer == tlm::TLM_UPDATED) {
            SOLIDTLM_CHECK(phase == tlm::BEGIN_RESP, "memory answers BEGIN_REQ with END_REQ or BEGIN_RESP");
            phase = tlm::END_RESP;
            sc_core::sc_time then = delay;
            (void)(*this)->nb_transport_fw(payload, phase, then);
        }
        requesting_ = nullptr;
        if (delay == sc_core::SC_ZERO_TIME) {
            return true;
        }
        agenda_.push(now() + to_ps(delay), this, kCall<&MemorySocket::answered>.function(), this,
                     detail::word_of(&payload));
    }
    return false;
}

tlm::tlm_sync_enum MemorySocket::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
        request_ends(payload, to_ps(delay));
        return tlm::TLM_ACCEPTED;
    }
    SOLIDTLM_CHECK(phase == tlm::BEGIN_RESP, "memory sends END_REQ or BEGIN_RESP");
    agenda_.push(now() + to_ps(delay), this, kCall<&MemorySocket::answered>.function(), this,
                 detail::word_of(&payload));
    return tlm::TLM_COMPLETED;  // that ends the response
}

void MemorySocket::request_ends(Payload& payload, Ps delay) {
    agenda_.push(now() + delay, this, kCall<&MemorySocket::request_ended>.function(), this,
                 detail::word_of(&payload));
}

void MemorySocket::request_ended(Payload* payload) {
    if (requesting_ == payload) {
        requesting_ = nullptr;
    }
    go_on();
}

void MemorySocket::answered(Payload* payload) {
    if (requesting_ == payload) {  // the response ends the request, too
        requesting_ = nullptr;
    }
    finish(*payload);
    go_on();
}

/// Memory has answered. Returns false if it refused.
bool MemorySocket::end(Payload& payload) {
    const auto& taken = *payload.get_extension<Taken>();
    const bool ok = payload.is_response_ok();
    if (payload.is_write()) {
        --writes_;
        direct_writes_ -= taken.direct ? 1 : 0;
    } else if (ok && taken.life == life_) {
        std::ranges::copy(std::span(taken.bytes).first(taken.request.bytes.size()),
                          taken.request.bytes.begin());
    }
    if (payload.is_dmi_allowed()) {
        learn(payload);
    }
    return ok;
}

/// Memory has answered after access() had returned.
void MemorySocket::finish(Payload& payload) {
    const auto& taken = *payload.get_extension<Taken>();
    const MemoryRequest request = taken.request;
    const bool forgotten = taken.life != life_;
    const bool ok = end(payload);
    free_place(payload);
    if (request.write) {
        refused_writes_ += ok ? 0 : 1;
    } else if (!forgotten && request.client != nullptr) {
        request.client->memory_answered(request.id, ok);
    }
}

/// Begins what may begin, and gives free places to those that wait.
void MemorySocket::go_on() {
    while (true) {
        if (!queue_.empty() && may_begin(queue_.front()->get_extension<Taken>()->request)) {
            Payload& payload = *queue_.pop();
            if (begin(payload)) {
                finish(payload);
            }
        } else if (!waiting_.empty() && taken_ < kPlaces) {
            const MemoryRequest request = waiting_.pop();
            const std::optional<bool> ended = take(request);
            if (ended && request.client != nullptr) {
                request.client->memory_answered(request.id, *ended);
            }
        } else {
            return;
        }
    }
}

// ---- DMI

bool MemorySocket::describes(std::uint64_t address, std::size_t bytes) const {
    return region_ && address >= region_->get_start_address() &&
           address + (bytes - 1) <= region_->get_end_address();
}

/// Whether it is direct if it begins now: no write is under way that it must not overtake.
bool MemorySocket::is_direct(const MemoryRequest& request) const {
    return writes_ == direct_writes_ && describes(request.address, request.bytes.size()) &&
           (request.write ? region_->is_write_allowed() : region_->is_read_allowed());
}

/// REQUIRES: is_direct().
Ps MemorySocket::direct_latency(const MemoryRequest& request) const {
    return to_ps(request.write ? region_->get_write_latency() : region_->get_read_latency()) *
           static_cast<std::int64_t>(request.bytes.size());
}

/// Between memory and `bytes`. REQUIRES: is_direct().
void MemorySocket::move_directly(const MemoryRequest& request, std::span<std::byte> bytes) {
    ++direct_accesses_;
    const std::span memory(reinterpret_cast<std::byte*>(region_->get_dmi_ptr()) +
                               (request.address - region_->get_start_address()),
                           bytes.size());
    if (request.write) {
        std::ranges::copy(bytes, memory.begin());
    } else {
        std::ranges::copy(memory, bytes.begin());
    }
}

/// As begin(). REQUIRES: is_direct() of its request.
bool MemorySocket::begin_direct(Payload& payload) {
    auto& taken = *payload.get_extension<Taken>();
    move_directly(taken.request, std::span(taken.bytes).first(taken.request.bytes.size()));
    taken.direct = true;
    writes_ += payload.is_write() ? 1 : 0;
    direct_writes_ += payload.is_write() ? 1 : 0;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const Ps latency = direct_latency(taken.request);
    if (latency == Ps{0}) {
        return true;
    }
    agenda_.push(now() + latency, this, kCall<&MemorySocket::answered>.function(), this,
                 detail::word_of(&payload));
    return false;
}

/// Memory offers DMI at the address of `hint`.
void MemorySocket::learn(const Payload& hint) {
    if (describes(hint.get_address(), hint.get_data_length())) {
        return;
    }
    Payload question;
    question.set_command(hint.get_command());
    question.set_address(hint.get_address());
    tlm::tlm_dmi region;
    if (!(*this)->get_direct_mem_ptr(question, region)) {
        region.allow_none();
    }
    region_ = region;
}

void MemorySocket::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
    if (region_ && start <= region_->get_end_address() && end >= region_->get_start_address()) {
        region_.reset();
    }
}

// ---- b_transport

void MemorySocket::hand_over(Payload& payload) {
    if (idle_.empty()) {
        callers_.push_back(std::make_unique<Caller>());
        idle_.push_back(callers_.back().get());
        sc_core::sc_spawn([this, caller = callers_.back().get()] { call_thread(*caller); },
                          sc_core::sc_gen_unique_name("memory_call_thread"));
    }
    Caller& caller = *idle_.back();
    idle_.pop_back();
    caller.payload = &payload;
    caller.go.notify(sc_core::SC_ZERO_TIME);
}

void MemorySocket::call_thread(Caller& caller) {
    while (true) {
        while (caller.payload == nullptr) {
            sc_core::wait(caller.go);
        }
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        (*this)->b_transport(*caller.payload, delay);
        agenda_.push(now() + to_ps(delay), this, kCall<&MemorySocket::answered>.function(), this,
                     detail::word_of(caller.payload));
        caller.payload = nullptr;
        idle_.push_back(&caller);
    }
}

}  // namespace solidtlm::hw::nvme
