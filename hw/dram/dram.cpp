// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/dram.h"

#include <algorithm>
#include <iterator>

#include "hw/tlm/extensions.h"

namespace solidtlm::hw {
namespace {

constexpr int kHostPort = static_cast<int>(hal::DramPort::host);
constexpr int kHashPort = static_cast<int>(hal::DramPort::hash);
constexpr int kCorePort = static_cast<int>(hal::DramPort::core);
constexpr int kFlashPort = static_cast<int>(hal::DramPort::flash);

constexpr const char* kMessageType = "/ssd/dram";

/// Reports the times to the initiator if it wants to know them.
void tell(const tlm::tlm_generic_payload& payload, const DramTimes& times) {
    if (auto* extension = payload.get_extension<DramExtension>(); extension != nullptr) {
        extension->wait = times.wait;
        extension->transfer = times.transfer;
    }
}

std::uint64_t id_of(const tlm::tlm_generic_payload& payload) {
    return reinterpret_cast<std::uintptr_t>(&payload);
}

tlm::tlm_generic_payload& payload_of(std::uint64_t id) {
    return *reinterpret_cast<tlm::tlm_generic_payload*>(static_cast<std::uintptr_t>(id));
}

DramRequest request_of(const tlm::tlm_generic_payload& payload, DramClient* client) {
    auto* content = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    return {payload.is_write(),
            hal::DramAddress{payload.get_address()},
            payload.get_data_length(),
            payload.is_read() || payload.is_write() ? content : nullptr,
            client,
            id_of(payload)};
}

DramQueue queue_of(int port) {
    return port == kHostPort ? DramQueue::host : port == kHashPort ? DramQueue::hash : DramQueue::flash;
}

}  // namespace

void DramPortStatistics::tell(hal::Metrics& metrics, const std::string& port) const {
    metrics.counter(port + ".accesses", "accesses", "accesses through this port", accesses);
    metrics.counter(port + ".delayed", "accesses", "accesses that had to wait", delayed);
    metrics.counter(port + ".bytes", "B", "bytes read and written", bytes);
    metrics.time(port + ".busy_us", "time of row activations and bursts", busy);
    metrics.time(port + ".wait_us", "sum of the waits of all accesses", wait);
    metrics.longest(port + ".max_wait_us", "longest wait of an access", max_wait);
}

void DramStatistics::tell(hal::Metrics& metrics) const {
    core.tell(metrics, "dram.core");
    host.tell(metrics, "dram.host");
    hash.tell(metrics, "dram.hash");
    for (const DramPortStatistics& port : flash) {
        port.tell(metrics, "dram.flash");
    }
    metrics.counter("dram.row_hits", "rows", "rows found open", rows.hits);
    metrics.counter("dram.row_closed", "rows", "rows opened in a precharged bank", rows.closed);
    metrics.counter("dram.row_conflicts", "rows", "rows opened where another row was open", rows.conflicts);
    metrics.counter("dram.cut_ins", "accesses", "accesses of the core that interrupted a transfer", cut_ins);
    metrics.counter("dram.events", "events", "grants to accesses that had waited", activations);
}

Ps DramStatistics::busy() const {
    Ps sum = core.busy + host.busy + hash.busy;
    for (const DramPortStatistics& port : flash) {
        sum += port.busy;
    }
    return sum;
}

Dram::Dram(const sc_core::sc_module_name& name, const DramConfig& config, std::uint32_t flash_ports)
    : AgendaModule(name),
      host_target("host_target"),
      flash_target("flash_target", flash_ports),
      hash_target("hash_target"),
      core_target("core_target"),
      config_(config),
      banks_(config),
      store_(config.content, config.size_bytes),
      arbitration_(hal::named(dram_arbitrations(), config.arbitration)),
      quantum_(banks_.bus_time(config.quantum_bytes)),
      state_(config.most_requests) {
    statistics_.flash.resize(flash_ports);
    for (PortId id = 0; id < kFlashPort + static_cast<int>(flash_ports); ++id) {
        ports_.emplace_back(*this, id);
    }

    register_port(host_target, kHostPort);
    for (std::uint32_t channel = 0; channel < flash_ports; ++channel) {
        register_port(flash_target[channel], kFlashPort + static_cast<int>(channel));
    }
    hash_target.register_nb_transport_fw(this, &Dram::nb_transport_fw, kHashPort);
    hash_target.register_transport_dbg(this, &Dram::transport_dbg, kHashPort);
    core_target.register_nb_transport_fw(this, &Dram::nb_transport_fw, kCorePort);
    core_target.register_transport_dbg(this, &Dram::transport_dbg, kCorePort);
    core_target.register_get_direct_mem_ptr(this, &Dram::get_direct_mem_ptr, kCorePort);
}

Dram::~Dram() = default;

void Dram::register_port(Socket& socket, PortId port) {
    socket.register_nb_transport_fw(this, &Dram::nb_transport_fw, port);
    socket.register_transport_dbg(this, &Dram::transport_dbg, port);
    socket.register_get_direct_mem_ptr(this, &Dram::get_direct_mem_ptr, port);
}

DramStatistics Dram::statistics() const {
    DramStatistics result = statistics_;
    result.rows = banks_.rows();
    return result;
}

std::size_t Dram::waiting() const {
    std::size_t sum = 0;
    for (const auto& queue : state_.queues) {
        sum += queue.size();
    }
    return sum;
}

void Dram::power_cut() {
    for (auto& queue : state_.queues) {
        while (!queue.empty()) {
            if (const DramRequest request = queue.pop().request; request.client == this) {
                payload_of(request.id).release();
            }
        }
    }
    grant_.disarm();
    end_busy(now());
    state_ = Volatile(config_.most_requests);
    banks_.close_all();
    store_.forget();
}

tlm::tlm_response_status Dram::check(const tlm::tlm_generic_payload& payload) const {
    const std::uint64_t bytes = payload.get_data_length();
    if (payload.get_byte_enable_ptr() != nullptr) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    if (bytes == 0 || bytes > config_.size_bytes || payload.get_address() > config_.size_bytes - bytes) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    if (payload.get_data_ptr() != nullptr &&
        !store_.aligned(hal::DramAddress{payload.get_address()}, bytes)) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    return tlm::TLM_OK_RESPONSE;
}

void Dram::require_valid(tlm::tlm_generic_payload& payload) const {
    const tlm::tlm_response_status status = check(payload);
    payload.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) {
        SC_REPORT_FATAL(
            kMessageType,
            (payload.get_response_string() + " at address " + std::to_string(payload.get_address()) + ", " +
             std::to_string(payload.get_data_length()) + " bytes of " + std::to_string(config_.size_bytes))
                .c_str());
    }
}

tlm::tlm_sync_enum Dram::nb_transport_fw(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) {
        SC_REPORT_FATAL(kMessageType, "only BEGIN_REQ may come from an initiator");
    }
    if (port != kCorePort && delay != sc_core::SC_ZERO_TIME) {
        SC_REPORT_FATAL(kMessageType, "a queued port takes requests at the current instant only");
    }
    require_valid(payload);
    const auto times =
        ports_[static_cast<std::size_t>(port)].access(request_of(payload, this), now() + to_ps(delay));
    if (times) {
        tell(payload, *times);
        delay += to_sc_time(times->sum());
        return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    phase = tlm::END_REQ;  // this port may send the next request
    return tlm::TLM_UPDATED;
}

inline std::optional<DramTimes> Dram::access(PortId port, const DramRequest& request, Ps at) {
    SOLIDTLM_CHECK(request.client != nullptr, "an access that may have to wait has a client");
    const std::uint64_t sequence = state_.next_sequence++;
    if (!grant_.armed()) {
        if (at >= state_.free_at) {
            return serve(port, request, at, at);
        }
        grant_.arm(state_.free_at);
    }
    state_.queues[static_cast<std::size_t>(queue_of(port))].push(Waiting{request, port, at, sequence});
    return std::nullopt;
}

std::optional<DramTimes> Dram::Port::access(const DramRequest& request, Ps at) {
    SOLIDTLM_CHECK(
        request.bytes > 0 &&
            request.address.value + std::uint64_t{request.count} * request.bytes <= dram_.config_.size_bytes,
        "an access lies within the DRAM");
    if (id_ == kCorePort) {
        return dram_.core_access(request, at);
    }
    SOLIDTLM_CHECK(at == now(), "an access that may have to wait begins now");
    return dram_.access(id_, request, at);
}

// If the core has taken time since the grant was planned, the same request is granted, and only its transfer
// begins later, at state_.free_at. So a waiting request never costs more than one entry.
void Dram::grant() {
    ++statistics_.activations;
    // 1. Who is next?
    DramHeads heads{};
    for (std::size_t i = 0; i < kDramQueues; ++i) {
        heads[i] = state_.queues[i].empty() ? kNoRequest : state_.queues[i].front().sequence;
    }
    SOLIDTLM_CHECK(heads != DramHeads({kNoRequest, kNoRequest, kNoRequest}), "a class waits for the DRAM");
    const DramQueue turn = arbitration_.pick(heads, queue_of(state_.served_port));
    const Waiting next = state_.queues[static_cast<std::size_t>(turn)].pop();
    // 2. Book its time, and wake again for the next one.
    const DramTimes times = serve(next.port, next.request, next.arrival, now());
    const Ps end = state_.free_at;
    if (waiting() > 0) {
        grant_.arm(end);
    }
    // 3. Tell the client; it may come back with a new request before the call returns.
    next.request.client->dram_granted(next.request.id, end, times);
}

void Dram::dram_granted(std::uint64_t id, Ps end, const DramTimes& times) {
    tlm::tlm_generic_payload& payload = payload_of(id);
    tell(payload, times);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = to_sc_time(end - now());
    tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
    switch (state_.served_port) {
        case kHostPort:
            answer = host_target->nb_transport_bw(payload, phase, delay);
            break;
        case kHashPort:
            answer = hash_target->nb_transport_bw(payload, phase, delay);
            break;
        default:
            answer = flash_target[static_cast<std::size_t>(state_.served_port - kFlashPort)]->nb_transport_bw(
                payload, phase, delay);
    }
    if (answer != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL(kMessageType, "the initiator must answer BEGIN_RESP with TLM_COMPLETED");
    }
    payload.release();
}

DramTimes Dram::serve(PortId port, const DramRequest& request, Ps arrival, Ps at) {
    const Ps begin = after_bookings(std::max(at, state_.free_at), at);
    const BankTiming::Access access = banks_.access(request.address, request.bytes);
    state_.served_port = port;
    state_.served_begin = begin;
    state_.cut_ins.clear();
    state_.data_begin = begin + access.data_begin;
    state_.free_at = begin + access.duration;
    if (!state_.bookings.empty()) {
        absorb_bookings(begin);
    }
    const DramTimes times{state_.free_at - arrival - access.duration, access.duration};
    record(port, request, times);
    if (probe_ != nullptr) {
        probe_->dram_served(begin, state_.free_at, static_cast<std::uint16_t>(port));
    }
    move_content(request);
    return times;
}

DramTimes Dram::core_access(const DramRequest& request, Ps at) {
    if (request.count > 1 && (in_the_way(at) || probe_ != nullptr ||
                              !banks_.alike(request.address, request.bytes, request.count))) {
        return one_by_one(request, at, [this](const DramRequest& one, Ps t) { return core_access(one, t); });
    }
    Ps transfer = banks_.access(request.address, request.bytes).duration;
    if (request.count > 1) {
        transfer += banks_.hits(request.bytes, request.count - 1);
    }
    const DramTimes times{book_core(at, transfer), transfer};
    if (probe_ != nullptr) {
        probe_->dram_core_access(at + times.wait, at + times.sum());
    }
    record(kCorePort, request, times);
    move_content(request);
    return times;
}

Ps Dram::book_core(Ps at, Ps duration) {
    if (at < state_.free_at) {
        // The core waits until at least one quantum of the running transfer has moved, then until the next
        // boundary or the transfer's end.
        const std::int64_t quanta =
            at <= state_.data_begin
                ? 1
                : std::max<std::int64_t>(1, (at - state_.data_begin + quantum_ - Ps{1}) / quantum_);
        const Ps begin = std::min(state_.data_begin + quanta * quantum_, state_.free_at);
        ++statistics_.cut_ins;
        state_.cut_ins.push_back(Booking{begin, begin + duration});
        state_.data_begin += duration;
        const Ps announced = state_.free_at;
        state_.free_at += duration;
        absorb_bookings(announced);
        if (probe_ != nullptr) {
            probe_->dram_stretched(state_.free_at);
        }
        return begin - at;
    }
    const Ps begin = after_bookings(at, now());
    auto place = state_.bookings.end();
    while (place != state_.bookings.begin() && std::prev(place)->begin > begin) {
        --place;
    }
    state_.bookings.insert(place, Booking{begin, begin + duration});
    return begin - at;
}

/// The first instant from `at` on that the core has not booked. Drops the bookings if all have ended at
/// `current`.
inline Ps Dram::after_bookings(Ps at, Ps current) {
    if (!state_.bookings.empty() && state_.bookings.back().end <= current) {
        state_.bookings.clear();
    }
    if (state_.bookings.empty() || state_.bookings.back().end <= at) {
        return at;  // the core's bookings follow each other
    }
    auto booking = std::ranges::upper_bound(state_.bookings, at, {}, &Booking::begin);
    if (booking != state_.bookings.begin()) {
        --booking;
    }
    for (; booking != state_.bookings.end() && booking->begin <= at; ++booking) {
        at = std::max(at, booking->end);
    }
    return at;
}

/// Bookings between `from` and the end of the running transfer cut into it and lengthen it.
void Dram::absorb_bookings(Ps from) {
    std::size_t absorbed = 0;
    while (absorbed < state_.bookings.size() && state_.bookings[absorbed].begin < state_.free_at) {
        const Booking& booking = state_.bookings[absorbed++];
        const Ps cut = booking.end - std::max(booking.begin, from);
        if (cut > Ps{0}) {
            state_.cut_ins.push_back(Booking{booking.end - cut, booking.end});
            state_.free_at += cut;
            state_.data_begin += booking.begin < state_.data_begin ? cut : Ps{0};
        }
    }
    state_.bookings.erase(state_.bookings.begin(),
                          state_.bookings.begin() + static_cast<std::ptrdiff_t>(absorbed));
}

void Dram::end_busy(Ps at) {
    const auto rest = [at](Ps begin, Ps end) { return std::max(end - std::max(begin, at), Ps{0}); };
    Ps of_core{0};
    for (const Booking& cut_in : state_.cut_ins) {
        of_core += rest(cut_in.begin, cut_in.end);
    }
    port_statistics(state_.served_port).busy -= rest(state_.served_begin, state_.free_at) - of_core;
    for (const Booking& booking : state_.bookings) {
        of_core += rest(booking.begin, booking.end);
    }
    statistics_.core.busy -= of_core;
}

void Dram::move_content(const DramRequest& request) {
    if (request.content == nullptr) {
        return;
    }
    if (request.write) {
        store_.write(request.address, request.bytes, request.content);
    } else {
        store_.read(request.address, request.bytes, request.content);
    }
}

inline DramPortStatistics& Dram::port_statistics(PortId port) {
    switch (port) {
        case kHostPort:
            return statistics_.host;
        case kHashPort:
            return statistics_.hash;
        case kCorePort:
            return statistics_.core;
        default:
            return statistics_.flash[static_cast<std::size_t>(port - kFlashPort)];
    }
}

inline void Dram::record(PortId port, const DramRequest& request, const DramTimes& times) {
    DramPortStatistics& statistics = port_statistics(port);
    statistics.accesses += request.count;
    statistics.bytes += std::uint64_t{request.count} * request.bytes;
    statistics.busy += times.transfer;
    statistics.wait += times.wait;
    statistics.max_wait = std::max(statistics.max_wait, times.wait);
    statistics.delayed += times.wait > Ps{0} ? 1U : 0U;
}

unsigned int Dram::transport_dbg(int /*port*/, tlm::tlm_generic_payload& payload) {
    const tlm::tlm_response_status status = check(payload);
    payload.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE || payload.get_data_ptr() == nullptr) {
        return 0;
    }
    move_content(request_of(payload, nullptr));
    return payload.get_data_length();
}

bool Dram::get_direct_mem_ptr(int /*port*/, tlm::tlm_generic_payload& /*payload*/, tlm::tlm_dmi& dmi) {
    dmi.init();
    if (store_.size() == 0) {
        return false;
    }
    dmi.allow_read_write();
    dmi.set_start_address(0);
    dmi.set_end_address(store_.size() - 1);
    dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(store_.at(hal::DramAddress{0})));
    return true;
}

}  // namespace solidtlm::hw
