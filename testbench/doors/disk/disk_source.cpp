// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/disk/disk_source.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"
#include "platform/interface_facts.h"

namespace solidtlm::testbench::disk {
namespace {

constexpr Ps kNs{1000};
constexpr double kPsPerNs = 1000.0;
/// While commands are outstanding, the host looks for new requests after this simulated time.
constexpr Ps kLook{10'000'000};
/// When simulated time has caught up, the simulation sleeps for this wall time. When a command ends,
/// simulated time is behind by at most this much.
constexpr Clients::Wall kBusySleep = std::chrono::microseconds(50);
constexpr Clients::Wall kIdleSleep = std::chrono::milliseconds(10);

Ps whole_ns(Ps time) {
    return Ps{(time.count() + kNs.count() - 1) / kNs.count() * kNs.count()};
}

}  // namespace

bool zeros_by_trim(const platform::Configuration& configuration) {
    return platform::interface_facts(configuration).zeros_after_trim &&
           configuration.firmware.recovery.trims != fw::TrimPersistence::lazy;
}

DiskSource::DiskSource(Clients& clients, const Timing& timing, const DiskFacts& facts, RequestLog* log)
    : clients_(clients), timing_(timing), facts_(facts), log_(log) {}

bool DiskSource::next(Request& request) {
    while (!cutting_) {
        take();
        if (cutting_ || !waiting_.empty()) {
            break;
        }
        if (clients_.ended() || !wait()) {
            return false;
        }
    }
    if (cutting_) {  // power is about to go: no further request is sent
        wakes_at_ = now_ + kLook;
        return false;
    }
    const Step step = waiting_.front();
    waiting_.pop_front();
    fill(step, request);
    ++outstanding_;
    if (log_ != nullptr) {
        log_->begun(next_number_, request);
    }
    request.token = next_number_++ * kSlots + step.slot;
    return true;
}

/// Takes all requests that clients have handed over.
void DiskSource::take() {
    while (const auto slot = clients_.take()) {
        hand_over(*slot);
    }
    if (const auto order = clients_.order()) {
        cutting_ |= orders_(*order);
    }
}

void DiskSource::power_lost(bool come_back) {
    cutting_ = false;
    writes_ = 0;
    clients_.cut_off(come_back);
    for (; !waiting_.empty(); waiting_.pop_front()) {
        end_step(waiting_.front().slot, false);
    }
}

void DiskSource::hand_over(std::uint32_t slot) {
    const Slot& asked = clients_.slot(slot);
    ++asked_[static_cast<std::size_t>(asked.ask)];
    const std::uint64_t sectors = facts_.sectors;
    SOLIDTLM_CHECK(asked.offset % hal::kSectorBytes == 0 && asked.bytes % hal::kSectorBytes == 0 &&
                       asked.offset / hal::kSectorBytes + asked.bytes / hal::kSectorBytes <= sectors,
                   "nbdkit asks for whole sectors of the drive");
    under_way_[slot] = {};
    switch (asked.ask) {
        case Ask::read:
            add_step(slot, Operation::read);
            break;
        case Ask::write:
            add_step(slot, Operation::write);
            break;
        case Ask::flush:
            add_step(slot, Operation::flush);
            break;
        case Ask::trim:
        case Ask::zero:
            if (asked.ask == Ask::zero && !(asked.may_trim && facts_.zeros_by_trim)) {
                add_step(slot, Operation::write);
                break;
            }
            add_step(slot, Operation::trim);
            if (asked.fua) {
                add_step(slot, Operation::flush);
            }
            break;
        case Ask::block_status:
            answer_block_status(slot);
            break;
    }
}

void DiskSource::add_step(std::uint32_t slot, Operation operation) {
    last_arrival_ = std::max(last_arrival_, arrival());
    waiting_.push_back({slot, operation, last_arrival_});
    ++under_way_[slot].steps_left;
}

/// Arrival time of a request that is handed over now.
Ps DiskSource::arrival() {
    if (!begun_) {
        begun_ = true;
        origin_ = clients_.wall();
        return Ps{0};
    }
    if (timing_.mode == TimeMode::paced) {
        return simulated(clients_.wall());
    }
    Ps at = hal::instant_after(now_, timing_.think);
    if (outstanding_ == 0 && waiting_.empty()) {
        if (timing_.idle_mode == IdleMode::fixed) {
            at = hal::instant_after(at, timing_.idle);
        } else if (timing_.idle_mode == IdleMode::wall) {
            const Clients::Wall idle = clients_.wall() - idle_since_;
            at = now_ + std::max(timing_.think, Ps{idle.count() * kNs.count()});
        }
    }
    return whole_ns(at);
}

Ps DiskSource::simulated(Clients::Wall wall) const {
    const double ns = static_cast<double>((wall - origin_).count()) * timing_.factor;
    const Ps at = hal::nearest_instant(ns * kPsPerNs);
    return at > hal::kHorizon ? at : Ps{std::llround(ns) * kNs.count()};
}

void DiskSource::answer_block_status(std::uint32_t slot) {
    Slot& asked = clients_.slot(slot);
    const std::vector<Extent> extents =
        block_status_(asked.offset / hal::kSectorBytes, asked.bytes / hal::kSectorBytes);
    SOLIDTLM_CHECK(!extents.empty() && extents.size() <= kMostExtents, "the answer fits into the slot");
    std::memcpy(clients_.data(slot), extents.data(), extents.size() * sizeof(Extent));
    asked.extents = static_cast<std::uint32_t>(extents.size());
    clients_.answer(slot, 0);
}

void DiskSource::fill(const Step& step, Request& request) {
    const Slot& asked = clients_.slot(step.slot);
    const Lba lba{asked.offset / hal::kSectorBytes};
    const std::uint32_t sectors = asked.bytes / hal::kSectorBytes;
    request.clear();
    request.operation = step.operation;
    request.arrival = step.arrival;
    switch (step.operation) {
        case Operation::read:
        case Operation::write:
            request.lba = lba;
            request.sectors = sectors;
            request.fua = step.operation == Operation::write && asked.fua;
            if (asked.ask == Ask::zero) {
                request.content.assign(request.content_layout.identities(sectors), 0);
            } else {
                request.data = {clients_.data(step.slot), asked.bytes};
            }
            break;
        case Operation::trim:
            request.queued = false;  // libata sends it as a non-queued command
            request.ranges.push_back({lba, sectors});
            break;
        case Operation::flush:
            break;
    }
}

void DiskSource::completed(std::uint64_t token, bool ok, Ps now) {
    now_ = now;
    --outstanding_;
    if (log_ != nullptr) {
        log_->ended(token / kSlots, now);
    }
    if (timing_.mode == TimeMode::paced) {
        const Clients::Wall due =
            origin_ +
            Clients::Wall{std::llround(static_cast<double>(now.count()) / kPsPerNs / timing_.factor)};
        while (!clients_.ended() && clients_.wall() < due) {
            clients_.sleep(due - clients_.wall());
        }
        const Clients::Wall late = clients_.wall() - due;
        latest_ = std::max(latest_, late);
        late_answers_ += late > kLate ? 1 : 0;
    }
    const auto slot = static_cast<std::uint32_t>(token % kSlots);
    const bool wrote = clients_.slot(slot).ask == Ask::write;
    end_step(slot, ok);
    if (outstanding_ == 0 && timing_.idle_mode == IdleMode::wall) {
        idle_since_ = clients_.wall();
    }
    if (wrote && ok && ++writes_ == facts_.writes_to_cut) {
        cutting_ |= orders_({Order::Kind::cut_power});
    }
}

void DiskSource::end_step(std::uint32_t slot, bool ok) {
    Under& under = under_way_[slot];
    under.failed |= !ok;
    if (--under.steps_left == 0) {
        clients_.answer(slot, under.failed ? EIO : 0);
    }
}

/// No request can be sent. True: look again; false: let the simulation go on.
bool DiskSource::wait() {
    wakes_at_.reset();
    if (timing_.mode == TimeMode::paced && begun_) {
        return wait_paced();
    }
    if (outstanding_ > 0) {
        wakes_at_ = now_ + kLook;
        return false;
    }
    clients_.wait(std::nullopt);
    return true;
}

bool DiskSource::wait_paced() {
    const Ps target = simulated(clients_.wall());
    if (target > now_) {
        wakes_at_ = target;
        return false;
    }
    clients_.wait(outstanding_ > 0 ? kBusySleep : kIdleSleep);
    return true;
}

}  // namespace solidtlm::testbench::disk
