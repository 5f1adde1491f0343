// SPDX-License-Identifier: Apache-2.0
//
// For tests of front ends: doubles of the other parts of a drive. The DRAM serves as the medium (sector n
// lies at address 512 n), and the firmware answers after a fixed time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include <tlm_utils/passthrough_target_socket.h>

#include "fw/hal/host.h"
#include "hw/tlm/extensions.h"
#include "hw/tlm/test_actions.h"
#include "hw/tlm/time.h"

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

    FakeFirmware(const sc_core::sc_module_name& name, hal::Host& device)
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
    hal::Host& device_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<Job*> free_;
};

}  // namespace solidtlm::hw::test
