// SPDX-License-Identifier: Apache-2.0
//
// For tests: doubles of the parts around link and device. A DRAM that is the medium (sector n lives at
// address 512 n), a firmware that answers after a fixed time, and a host that sends the FISes that a test
// tells it to.
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

namespace solidtlm::hw::test {

struct FakeDram : TestActions {
    tlm_utils::passthrough_target_socket<FakeDram> host_target{"host_target"};

    FakeDram(const sc_core::sc_module_name& name, hal::ContentMode mode, std::uint64_t sectors)
        : TestActions(name), content_mode(mode), store(sectors * hal::content_stride(mode)) {
        host_target.register_nb_transport_fw(this, &FakeDram::nb_transport_fw);
        host_target.register_b_transport(this, &FakeDram::b_transport);
    }

    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) { SC_REPORT_FATAL("/test/dram", "b"); }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                       sc_core::sc_time& delay) {
        auto* extension = payload.get_extension<DramExtension>();
        extension->wait = wait;
        extension->transfer = ps_per_byte * payload.get_data_length();
        ++accesses;
        if (content_mode != hal::ContentMode::none) {
            std::byte* at = store.data() + hal::content_bytes(content_mode, payload.get_address());
            const std::size_t size = hal::content_bytes(content_mode, payload.get_data_length());
            if (payload.is_write()) {
                std::memcpy(at, payload.get_data_ptr(), size);
            } else {
                std::memcpy(payload.get_data_ptr(), at, size);
            }
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        if (accept_only) {
            payload.acquire();
            at(now() + wait / 2, [this, &payload, born = life] {
                if (born == life) {
                    answer(payload);
                } else {
                    payload.release();
                }
            });
            return tlm::TLM_ACCEPTED;
        }
        delay = to_sc_time(wait + extension->transfer);
        return tlm::TLM_COMPLETED;
    }

    void answer(tlm::tlm_generic_payload& payload) {
        const auto* extension = payload.get_extension<DramExtension>();
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = to_sc_time(wait - wait / 2 + extension->transfer);
        if (host_target->nb_transport_bw(payload, phase, delay) != tlm::TLM_COMPLETED) {
            SC_REPORT_FATAL("/test/dram", "BEGIN_RESP not completed");
        }
        payload.release();
    }

    /// Forgets the accesses that wait.
    void power_cut() { ++life; }

    std::uint32_t life = 0;
    hal::ContentMode content_mode;
    std::vector<std::byte> store;
    Ps wait{0};
    Ps ps_per_byte{0};
    bool accept_only = false;
    std::uint64_t accesses = 0;
};

/// A firmware that begins every command `delay` after it has fetched it, moves its data in parts, and
/// completes it.
struct FakeFirmware : TestActions {
    struct Job {
        hal::HostCommand* command = nullptr;
        hal::HostTransfer transfer;
        std::vector<hal::HostTransfer::Piece> pieces;
        std::uint32_t moved = 0;  // sectors
        std::uint32_t life = 0;
        bool scheduled = false;
        FakeFirmware* firmware = nullptr;
    };
    struct Seen {
        hal::HostOpcode opcode;
        std::uint16_t slot;
        bool fua;
        bool enable;
        hal::Lba lba;
        std::uint32_t sectors;
        std::vector<hal::TrimRange> ranges;
    };

    FakeFirmware(const sc_core::sc_module_name& name, SataDevice& device)
        : TestActions(name), device_(device) {
        attach();
    }

    void attach() {
        device_.on_arrival({[](void* context) {
                                auto* self = static_cast<FakeFirmware*>(context);
                                self->at(now(), [self] { self->fetch_all(); });
                            },
                            this});
    }

    /// Forgets its commands.
    void power_cut() {
        ++life;
        free_.clear();
        for (const auto& job : jobs_) {
            if (!job->scheduled) {
                free_.push_back(job.get());
            }
        }
    }

    void go_on(Ps when, Job& job) {
        job.scheduled = true;
        at(when, [this, &job] {
            job.scheduled = false;
            if (job.life != life) {
                free_.push_back(&job);
            } else {
                run(job);
            }
        });
    }

    void fetch_all() {
        while (hal::HostCommand* command = device_.fetch()) {
            seen.push_back(Seen{command->opcode,
                                command->slot,
                                command->fua,
                                command->enable,
                                command->lba,
                                command->sectors,
                                {command->ranges.begin(), command->ranges.end()}});
            Job& job = take();
            job.command = command;
            job.moved = 0;
            job.life = life;
            command->ledger->enter(hal::Stage::firmware_execute, now());
            go_on(std::max(now() + delay, not_before), job);
        }
    }

    // One step of a command: the next part of its data, or its end.
    void run(Job& job) {
        hal::HostCommand& command = *job.command;
        const auto failure = failures.find(command.lba.value);
        const bool moves =
            command.opcode == hal::HostOpcode::read || command.opcode == hal::HostOpcode::write;
        const bool stop = failure != failures.end() && job.moved >= fail_after_sectors;
        if (stop || aborted(job) || !moves || job.moved == command.sectors) {
            const hal::HostStatus status = stop ? failure->second : hal::HostStatus::ok;
            if (stop && fail_once) {
                failures.erase(failure);
            }
            if (command.opcode == hal::HostOpcode::report_health) {
                *command.health = health;
            }
            free_.push_back(&job);
            ++completed;
            device_.complete(command, status);
            return;
        }
        const std::uint32_t sectors = std::min(part_sectors, command.sectors - job.moved);
        job.pieces.clear();
        for (std::uint32_t done = 0; done < sectors; done += piece_sectors) {
            const std::uint64_t sector = command.lba.value + job.moved + done;
            job.pieces.push_back({hal::DramAddress{sector * hal::kSectorBytes},
                                  std::min(piece_sectors, sectors - done) * hal::kSectorBytes});
        }
        job.transfer = hal::HostTransfer{};
        job.transfer.command = &command;
        job.transfer.first_sector = job.moved;
        job.transfer.sectors = sectors;
        job.transfer.pieces = job.pieces;
        job.transfer.ledger = command.ledger;
        job.transfer.done = {[](void* context) {
                                 auto* self = static_cast<Job*>(context);
                                 ++self->firmware->transfers_done;
                                 self->firmware->go_on(now() + self->firmware->between_parts, *self);
                             },
                             &job};
        job.moved += sectors;
        device_.transfer(job.transfer);
    }

    static bool aborted(const Job& job) { return job.moved > 0 && job.transfer.aborted; }

    Job& take() {
        if (free_.empty()) {
            jobs_.push_back(std::make_unique<Job>());
            jobs_.back()->firmware = this;
            free_.push_back(jobs_.back().get());
        }
        Job& job = *free_.back();
        free_.pop_back();
        job.transfer.aborted = false;
        return job;
    }

    std::uint32_t life = 0;
    Ps delay{0};
    Ps not_before{0};  ///< no command begins earlier
    Ps between_parts{0};
    std::uint32_t part_sectors = 65536;
    std::uint32_t piece_sectors = 65536;  // not below part_sectors: a part has one piece
    std::uint32_t fail_after_sectors = 0;
    bool fail_once = false;
    std::map<std::uint64_t, hal::HostStatus> failures;  // by first LBA
    hal::HealthReport health;                           // the health that it reports
    std::vector<Seen> seen;
    std::uint64_t completed = 0;
    std::uint64_t transfers_done = 0;

  private:
    SataDevice& device_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<Job*> free_;
};

/// A host that sends what a test tells it to and records the frames that it gets. Answers DMA Activate, and
/// DMA Setup with auto-activate, with the next Data FIS of `outgoing` if there is one.
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
        const bool own = pio || (reads_log && one_at_a_time);
        const std::size_t size = own ? frame.bytes : hal::content_bytes(content_mode, frame.bytes);
        const auto* data = reinterpret_cast<const std::byte*>(payload.get_data_ptr());
        if (size > 0 && data != nullptr) {
            frame.content.assign(data, data + size);
        }
        const bool activates =
            frame.header.type() == FisType::dma_activate ||
            (frame.header.type() == FisType::dma_setup && decode_dma_setup(fis->header.data()).auto_activate);
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
            reads_log = decode_register_h2d(header.bytes.data()).command ==
                        static_cast<std::uint8_t>(ata::Opcode::read_log_dma_ext);
        }
        tlm::tlm_generic_payload& payload = take_frame(pool, header, content, bytes, ledger);
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
    bool reads_log = false;     // the last command is READ LOG DMA EXT
    bool one_at_a_time = true;  // else a test may read a log while other data are on their way
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
