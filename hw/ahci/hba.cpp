// SPDX-License-Identifier: Apache-2.0
#include "hw/ahci/hba.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fw/hal/check.h"
#include "hw/tlm/blocking_access.h"
#include "hw/tlm/little_endian.h"
#include "hw/tlm/register_access.h"

namespace solidtlm::hw {

using ahci::Word;

namespace {

constexpr const char* kAhciReport = "/ahci";
constexpr std::uint64_t kLost = 0x100;  // flag in the argument of frame_sent()
constexpr unsigned kEpochShift = 8;     // position of the epoch in the argument of phy_found()

/// Calls `part(offset of a register, shift within it, span of its bytes)` for each register that the access
/// of `bytes` at `address` touches.
template <class Part>
void each_register(std::uint64_t address, std::span<std::byte> bytes, Part part) {
    constexpr std::uint32_t kWord = sizeof(Word);
    while (!bytes.empty()) {
        const auto within = static_cast<std::uint32_t>(address % kWord);
        const std::size_t length = std::min<std::size_t>(bytes.size(), kWord - within);
        part(static_cast<std::uint32_t>(address - within), within * 8U, bytes.first(length));
        bytes = bytes.subspan(length);
        address += length;
    }
}

std::span<std::byte> data_of(tlm::tlm_generic_payload& payload) {
    return {reinterpret_cast<std::byte*>(payload.get_data_ptr()), payload.get_data_length()};
}

}  // namespace

void AhciStatistics::tell(hal::Metrics& metrics) const {
    metrics.counter("adapter.register_reads", "", "reads of registers by the driver", register_reads);
    metrics.counter("adapter.register_writes", "", "writes of registers by the driver", register_writes);
    metrics.counter("adapter.interrupts", "", "how often the interrupt line was raised", interrupts);
    for (std::size_t kind = 0; kind < ahci::kDmaKinds; ++kind) {
        const std::string name(ahci::kDmaKindNames[kind]);
        metrics.counter("adapter.dma_accesses." + name, "", "accesses to memory of this kind",
                        dma[kind].accesses);
        metrics.counter("adapter.dma_bytes." + name, "B",
                        "bytes read from or written to memory by accesses of this kind", dma[kind].bytes);
        metrics.time("adapter.dma_us." + name, "time of accesses of this kind, which are made one at a time",
                     dma[kind].time);
    }
}

AhciHba::AhciHba(const sc_core::sc_module_name& name, const AhciConfig& config)
    : AgendaModule(name), config_(config), no_content_(kMaxDataFisBytes) {
    SOLIDTLM_CHECK(config.ports >= 1 && config.ports <= ahci::kMostPorts, "ports is in 1 ... 32");
    SOLIDTLM_CHECK(config.dma_burst_bytes == 0 || std::has_single_bit(config.dma_burst_bytes),
                   "dma_burst_bytes is 0 or a power of two");
    register_target.register_b_transport(this, &AhciHba::b_transport);
    register_target.register_transport_dbg(this, &AhciHba::transport_dbg);
    link_init.init(config.ports);
    link_target.init(config.ports);
    held_.resize(config.ports);
    phy_epoch_.resize(config.ports);
    ports_.reserve(config.ports);
    ahci::PortBus& bus = *this;
    for (std::uint32_t i = 0; i < config.ports; ++i) {
        const auto port = static_cast<int>(i);
        link_init[i].register_nb_transport_bw(this, &AhciHba::link_nb_transport_bw, port);
        link_target[i].register_nb_transport_fw(this, &AhciHba::link_nb_transport_fw, port);
        link_target[i].register_b_transport(this, &AhciHba::link_b_transport, port);
        ports_.push_back(
            std::make_unique<ahci::Port>(bus, static_cast<std::uint8_t>(i), config.staggered_spin_up));
    }
    SC_HAS_PROCESS(AhciHba);
    SC_THREAD(dma_thread);
}

/// By now drives have sent their signatures; a COMRESET makes them send these again.
void AhciHba::start_of_simulation() {
    at<&AhciHba::power_up>(now());
}

void AhciHba::power_up() {
    for (const auto& port : ports_) {
        port->reset();
    }
}

// ---- Registers

void AhciHba::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const tlm::tlm_response_status status = register_refusal(payload, 1, ahci::kRegisterBytes);
    if (status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
        return;
    }
    const sc_core::sc_time time = delay + to_sc_time(config_.register_access);
    delay = sc_core::SC_ZERO_TIME;
    if (time != sc_core::SC_ZERO_TIME) {
        sc_core::wait(time);
    }
    if (payload.is_read()) {
        ++statistics_.register_reads;
        transport_dbg(payload);
    } else {
        ++statistics_.register_writes;
        each_register(payload.get_address(), data_of(payload),
                      [this](std::uint32_t offset, unsigned shift, std::span<std::byte> bytes) {
                          const std::uint64_t mask = (std::uint64_t{1} << 8U * bytes.size()) - 1;
                          write(offset, static_cast<Word>(get_little_endian(bytes) << shift),
                                static_cast<Word>(mask << shift));
                      });
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned AhciHba::transport_dbg(tlm::tlm_generic_payload& payload) {
    const sc_dt::uint64 address = payload.get_address();
    if (!payload.is_read() || address >= ahci::kRegisterBytes) {
        return 0;
    }
    const auto length = static_cast<unsigned>(
        std::min<std::uint64_t>(payload.get_data_length(), ahci::kRegisterBytes - address));
    each_register(address, data_of(payload).first(length),
                  [this](std::uint32_t offset, unsigned shift, std::span<std::byte> bytes) {
                      put_little_endian(bytes, read(offset) >> shift);
                  });
    return length;
}

Word AhciHba::read(std::uint32_t offset) const {
    if (offset >= ahci::kPortBase) {
        const std::uint32_t port = (offset - ahci::kPortBase) / ahci::kPortBytes;
        const std::uint32_t within = (offset - ahci::kPortBase) % ahci::kPortBytes;
        return port < ports_.size() ? ports_[port]->read(static_cast<ahci::PortRegister>(within)) : 0;
    }
    const auto generation = static_cast<Word>(std::min(config_.generation, SataGeneration::gen3));
    switch (static_cast<ahci::Global>(offset)) {
        case ahci::Global::cap:
            return ahci::kCapS64a | ahci::kCapSncq | (config_.staggered_spin_up ? ahci::kCapSss : 0) |
                   ahci::kCapSclo | generation << ahci::kCapIssShift | ahci::kCapSam | ahci::kCapPmd |
                   (ahci::kSlots - 1) << ahci::kCapNcsShift | (config_.ports - 1);
        case ahci::Global::ghc:
            return ghc_;
        case ahci::Global::is:
            return is_;
        case ahci::Global::pi:
            return static_cast<Word>((std::uint64_t{1} << config_.ports) - 1);
        case ahci::Global::vs:
            return ahci::kVersion;
    }
    return 0;  // reserved, or of a feature that this adapter lacks
}

void AhciHba::write(std::uint32_t offset, Word value, Word mask) {
    if (offset >= ahci::kPortBase) {
        const std::uint32_t port = (offset - ahci::kPortBase) / ahci::kPortBytes;
        const std::uint32_t within = (offset - ahci::kPortBase) % ahci::kPortBytes;
        if (port < ports_.size()) {
            ports_[port]->write(static_cast<ahci::PortRegister>(within), value, mask);
        }
    } else if (offset == static_cast<std::uint32_t>(ahci::Global::ghc)) {
        write_control((ghc_ & ~mask) | (value & mask));
    } else if (offset == static_cast<std::uint32_t>(ahci::Global::is)) {
        is_ &= ~(value & mask);
        interrupt_changed();
    }
}

/// Writes GHC. A reset of the adapter takes no simulated time: HR reads 0 afterwards (10.4.3).
void AhciHba::write_control(Word value) {
    if ((value & ahci::kGhcHr) != 0) {
        ghc_ = ahci::kGhcAe;
        for (const auto& port : ports_) {
            port->reset();
        }
        is_ = 0;
    } else {
        ghc_ = ahci::kGhcAe | (value & ahci::kGhcIe);
    }
    interrupt_changed();
}

/// A port's bit is set while the port has an interrupt, and stays set until it is cleared (10.7.2).
void AhciHba::interrupt_changed() {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        is_ |= ports_[i]->interrupts() ? Word{1} << i : 0;
    }
    if (!line_asked_) {
        line_asked_ = true;
        at<&AhciHba::drive_interrupt>(now());
    }
}

/// Writes the interrupt line. This is the only process that does, whichever register has changed.
void AhciHba::drive_interrupt() {
    line_asked_ = false;
    const bool level = (ghc_ & ahci::kGhcIe) != 0 && is_ != 0;
    statistics_.interrupts += level && !interrupt->read() ? 1 : 0;
    interrupt->write(level);
}

// ---- Memory

void AhciHba::access(std::uint8_t port, const ahci::DmaAccess& access) {
    requests_.push(Request{port, access});
    dma_event_.notify(sc_core::SC_ZERO_TIME);
}

void AhciHba::dma_thread() {
    while (true) {
        while (requests_.empty()) {
            sc_core::wait(dma_event_);
        }
        const Request request = requests_.front();
        const Ps begin = kernel_now();
        const ahci::DmaResult result = carry_out(request.access);
        AhciStatistics::Dma& counted = statistics_.dma[static_cast<std::size_t>(request.access.kind)];
        ++counted.accesses;
        counted.bytes += request.access.bytes.size();
        counted.time += kernel_now() - begin;
        requests_.pop();
        ports_[request.port]->access_done(result);
    }
}

/// Carries the access out in bursts, up to the first that fails.
ahci::DmaResult AhciHba::carry_out(const ahci::DmaAccess& access) {
    std::uint64_t address = access.address;
    for (std::span<std::byte> left = access.bytes; !left.empty();) {
        std::size_t length = left.size();
        if (config_.dma_burst_bytes > 0) {
            length =
                std::min<std::size_t>(length, config_.dma_burst_bytes - address % config_.dma_burst_bytes);
        }
        constexpr std::size_t kWord = sizeof(Word);
        const auto dwords = static_cast<std::int64_t>((address % kWord + length + kWord - 1) / kWord);
        sc_core::sc_time delay = to_sc_time(config_.dma_access + config_.dma_dword * dwords);
        const tlm::tlm_response_status status =
            blocking_access(dma_init, access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
                            left.first(length), delay);
        if (delay != sc_core::SC_ZERO_TIME) {
            sc_core::wait(delay);
        }
        if (status != tlm::TLM_OK_RESPONSE) {
            return status == tlm::TLM_ADDRESS_ERROR_RESPONSE ? ahci::DmaResult::refused
                                                             : ahci::DmaResult::failed;
        }
        left = left.subspan(length);
        address += length;
    }
    return ahci::DmaResult::ok;
}

// ---- Links

void AhciHba::send(std::uint8_t port, const SataFrame& frame) {
    tlm::tlm_generic_payload& payload = take_frame(fis_pool_, frame);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (link_init[port]->nb_transport_fw(payload, phase, delay) != tlm::TLM_UPDATED) {
        SC_REPORT_FATAL(kAhciReport, "the link did not take a frame");
    }
    payload.release();
}

std::uint8_t AhciHba::signal(std::uint8_t port, LinkSignal signal) {
    tlm::tlm_generic_payload& payload = take_signal(fis_pool_, signal);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (link_init[port]->nb_transport_fw(payload, phase, delay) != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL(kAhciReport, "the link did not complete a signal");
    }
    const std::uint8_t speed = payload.get_extension<FisExtension>()->speed;
    payload.release();
    return speed;
}

void AhciHba::comreset(std::uint8_t port) {
    ++phy_epoch_[port];
    signal(port, LinkSignal::comreset);
}

void AhciHba::begin_phy(std::uint8_t port) {
    at<&AhciHba::phy_found>(now() + config_.phy_time, std::uint64_t{phy_epoch_[port]} << kEpochShift | port);
}

void AhciHba::phy_found(std::uint64_t port_and_epoch) {
    const auto port = static_cast<std::uint8_t>(port_and_epoch);
    if (port_and_epoch >> kEpochShift == phy_epoch_[port]) {
        ports_[port]->phy_ready(signal(port, LinkSignal::phy_ready));
    }
}

tlm::tlm_sync_enum AhciHba::link_nb_transport_fw(int port, tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) {
        SC_REPORT_FATAL(kAhciReport, "a frame arrives with BEGIN_REQ");
        return tlm::TLM_COMPLETED;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const auto* fis = payload.get_extension<FisExtension>();
    const std::span content = payload.get_data_ptr() != nullptr ? data_of(payload) : std::span(no_content_);
    const auto index = static_cast<std::size_t>(port);
    const bool room = ports_[index]->take_frame({fis->header.data(), fis->header_bytes},
                                                content.first(payload.get_data_length()));
    at<&AhciHba::frame_arrived>(now() + to_ps(delay), static_cast<std::uint64_t>(port));
    if (room) {
        return tlm::TLM_COMPLETED;
    }
    held_[index] = &payload;
    return tlm::TLM_ACCEPTED;
}

void AhciHba::take_frames(std::uint8_t port) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    tlm::tlm_generic_payload& payload = *std::exchange(held_[port], nullptr);
    if (link_target[port]->nb_transport_bw(payload, phase, delay) != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL(kAhciReport, "the link did not complete a frame");
    }
}

void AhciHba::link_b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    SC_REPORT_FATAL(kAhciReport, "frames are not moved by b_transport");
}

tlm::tlm_sync_enum AhciHba::link_nb_transport_bw(int port, tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL(kAhciReport, "a frame that was sent ends with BEGIN_RESP");
    }
    at<&AhciHba::frame_sent>(now() + to_ps(delay),
                             static_cast<std::uint64_t>(port) | (payload.is_response_error() ? kLost : 0));
    return tlm::TLM_COMPLETED;
}

void AhciHba::frame_arrived(std::uint64_t port) {
    ports_[port]->frame_arrived();
}

void AhciHba::frame_sent(std::uint64_t port_and_lost) {
    ports_[port_and_lost & 0xFF]->frame_sent((port_and_lost & kLost) == 0);
}

}  // namespace solidtlm::hw
