// SPDX-License-Identifier: Apache-2.0
//
// For tests: a host that sends the FISes that a test tells it to.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "hw/sata/device.h"
#include "hw/sata/link.h"
#include "hw/tlm/protocol_checker.h"
#include "hw/tlm/test_actions.h"
#include "hw/tlm/test_drive.h"

namespace solidtlm::hw::test {

/// A host that sends what a test tells it to and records the frames that it gets. Answers DMA Activate, DMA
/// Setup with auto-activate, and PIO Setup of data to the device with the next Data FIS of `outgoing` if
/// there is one.
struct ScriptHost : TestActions {
    struct Frame {
        Ps at{0};
        FisHeader header;
        std::uint32_t bytes = 0;
        std::vector<std::byte> content;
    };
    tlm_utils::passthrough_target_socket<ScriptHost> link_target{"link_target"};
    tlm_utils::simple_initiator_socket<ScriptHost> link_init{"link_init"};

    ScriptHost(const sc_core::sc_module_name& name, hal::ContentMode mode)
        : TestActions(name), content_mode(mode) {
        link_target.register_nb_transport_fw(this, &ScriptHost::nb_transport_fw);
        link_target.register_b_transport(this, &ScriptHost::b_transport);
        link_init.register_nb_transport_bw(this, &ScriptHost::nb_transport_bw);
    }

    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) { SC_REPORT_FATAL("/test/host", "b"); }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                       sc_core::sc_time&) {
        (payload.is_response_ok() ? sent_at : lost_at).push_back(now());
        return tlm::TLM_COMPLETED;
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                       sc_core::sc_time&) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        const auto* fis = payload.get_extension<FisExtension>();
        if (fis->signal != LinkSignal::none) {
            signals.push_back(fis->signal);
            return tlm::TLM_COMPLETED;
        }
        Frame frame;
        frame.at = now();
        frame.header.bytes = fis->header;
        frame.header.length = fis->header_bytes;
        frame.bytes = payload.get_data_length();
        // the device's own data are bytes, all other data are content
        const bool pio = !frames.empty() && frames.back().header.type() == FisType::pio_setup;
        const bool own = (pio && !reads_sectors) || (reads_log && one_at_a_time);
        const std::size_t size = own ? frame.bytes : hal::content_bytes(content_mode, frame.bytes);
        const auto* data = reinterpret_cast<const std::byte*>(payload.get_data_ptr());
        if (size > 0 && data != nullptr) {
            frame.content.assign(data, data + size);
        }
        const bool activates =
            frame.header.type() == FisType::dma_activate ||
            (frame.header.type() == FisType::pio_setup &&
             !decode<PioSetup>(fis->header.data()).device_to_host) ||
            (frame.header.type() == FisType::dma_setup && decode<DmaSetup>(fis->header.data()).auto_activate);
        frames.push_back(frame);
        if (activates && !outgoing.empty()) {
            at(now(), [this] { reply(); });
        }
        if (!takes_one) {
            return tlm::TLM_COMPLETED;
        }
        held = &payload;
        return tlm::TLM_ACCEPTED;
    }

    /// R_RDY: the next frame may come.
    void ready() {
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        tlm::tlm_generic_payload& payload = *std::exchange(held, nullptr);
        if (link_target->nb_transport_bw(payload, phase, delay) != tlm::TLM_COMPLETED) {
            SC_REPORT_FATAL("/test/host", "the link did not complete a frame");
        }
    }

    std::uint8_t signal(LinkSignal what) {
        tlm::tlm_generic_payload& payload = take_signal(pool, what);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (link_init->nb_transport_fw(payload, phase, delay) != tlm::TLM_COMPLETED) {
            SC_REPORT_FATAL("/test/host", "the link did not complete a signal");
        }
        const std::uint8_t speed = payload.get_extension<FisExtension>()->speed;
        payload.release();
        return speed;
    }

    void reply() {
        sending.push_back(outgoing.front());
        outgoing.pop_front();
        send(encode_data(), sending.back().content.data(), sending.back().bytes);
    }

    void send(const FisHeader& header, std::byte* content = nullptr, std::uint32_t bytes = 0,
              hal::Ledger* ledger = nullptr) {
        if (header.type() == FisType::register_h2d) {
            const auto opcode = static_cast<ata::Opcode>(decode<RegisterH2d>(header.bytes.data()).command);
            using enum ata::Opcode;
            reads_log = opcode == read_log_dma_ext;
            reads_sectors = opcode == read_sectors || opcode == read_sectors_ext || opcode == read_multiple ||
                            opcode == read_multiple_ext;
        }
        tlm::tlm_generic_payload& payload = take_frame(pool, SataFrame{header, ledger, content, bytes});
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        link_init->nb_transport_fw(payload, phase, delay);
        payload.release();
    }

    /// Queues `bytes` of zeros in Data FISes of at most `most`.
    void provide(std::uint32_t bytes, std::uint32_t most = kMaxDataFisBytes) {
        while (bytes > 0) {
            const std::uint32_t part = std::min(bytes, most);
            outgoing.push_back({Ps{0}, {}, part, std::vector<std::byte>(part)});
            bytes -= part;
        }
    }
    void provide(std::vector<std::byte> real_bytes) {
        const auto bytes = static_cast<std::uint32_t>(real_bytes.size());
        outgoing.push_back({Ps{0}, {}, bytes, std::move(real_bytes)});
    }

    [[nodiscard]] std::vector<FisType> types() const {
        std::vector<FisType> result;
        for (const Frame& frame : frames) {
            result.push_back(frame.header.type());
        }
        return result;
    }

    hal::ContentMode content_mode;
    bool reads_log = false;      // the last command is READ LOG DMA EXT
    bool reads_sectors = false;  // it reads sectors by PIO
    bool one_at_a_time = true;   // else a test may read a log while other data are on their way
    std::vector<Frame> frames;
    std::vector<LinkSignal> signals;
    bool takes_one = false;                    // takes one frame, the next one after ready()
    tlm::tlm_generic_payload* held = nullptr;  // the frame that it has taken
    std::vector<Ps> sent_at;
    std::vector<Ps> lost_at;
    std::deque<Frame> outgoing;
    std::deque<Frame> sending;
    PayloadPool<FisExtension> pool{1024};
};

}  // namespace solidtlm::hw::test
