// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/data_mover.h"

#include <algorithm>

#include "fw/hal/xor_onto.h"

namespace solidtlm::hw {

using hal::FlashStatus;
using hal::Stage;

namespace {

// An access is named by request, token and number, so that an answer that comes after a power cut is known
// as such.
constexpr unsigned kRequestShift = 40;
constexpr unsigned kTokenShift = 16;
constexpr std::uint64_t kTokenMask = 0xffffff;
constexpr std::uint64_t kAccessMask = 0xffff;

std::uint64_t access_id(const FlashRequest& request, std::size_t access) {
    return std::uint64_t{request.index} << kRequestShift | (request.token & kTokenMask) << kTokenShift |
           access;
}

/// Time between `from` and `to` in which an access of the request was being served.
Ps transfer_time(const FlashRequest& request, Ps from, Ps to) {
    Ps covered_to = from;
    Ps sum{0};
    for (const DramAccess& access : request.pages.accesses) {  // served in order of issue
        const Ps begin = std::max(access.end - access.transfer, covered_to);
        const Ps end = std::min(access.end, to);
        if (end > begin) {
            sum += end - begin;
            covered_to = end;
        }
    }
    return sum;
}

}  // namespace

DataMover::DataMover(const NandConfig& config, const PagePlanner& planner, DramSocket& dram,
                     FlashRequestPool& requests, FlashAgenda& agenda)
    : planner_(planner),
      dram_(dram),
      requests_(requests),
      agenda_(agenda),
      encoder_(config.ecc.codeword_bytes, config.ecc.encode_mb_per_s, config.ecc.encode_latency) {}

void DataMover::issue(FlashRequest& request, bool write, std::vector<std::byte>& content) {
    request.accesses_begin = now();
    request.accesses_open = static_cast<std::uint32_t>(request.pages.accesses.size());
    for (std::size_t i = 0; i < request.pages.accesses.size(); ++i) {
        const DramAccess& access = request.pages.accesses[i];
        std::byte* data = content.empty() ? nullptr : content.data() + access.offset;
        const DramRequest asked{
            write, hal::DramAddress{access.address}, access.bytes, data, this, access_id(request, i)};
        const auto times = dram_.access(asked, now());
        if (times) {
            record(request, i, now() + times->sum(), times->transfer);
        }
    }
}

void DataMover::dram_granted(std::uint64_t id, Ps end, const DramTimes& times) {
    FlashRequest& request = requests_[id >> kRequestShift];
    if ((id >> kTokenShift & kTokenMask) == (request.token & kTokenMask)) {
        record(request, id & kAccessMask, end, times.transfer);
    }
}

void DataMover::record(FlashRequest& request, std::size_t access, Ps end, Ps transfer) {
    request.pages.accesses[access].end = end;
    request.pages.accesses[access].transfer = transfer;
    if (--request.accesses_open == 0) {
        const auto later = [](const DramAccess& a, const DramAccess& b) { return a.end < b.end; };
        agenda_.push(std::max_element(request.pages.accesses.begin(), request.pages.accesses.end(), later)->end,
                     WakeKind::dram, request);
    }
}

void DataMover::load(FlashRequest& request) {
    if (request.pages.accesses.empty()) {
        request.accesses_begin = now();
        encode(request);
    } else {
        issue(request, false, request.content);
    }
}

void DataMover::wait_for(FlashRequest& request) {
    request.step = Step::load;
    request.accesses_begin = std::max(request.accesses_begin, now());
    request.enter(request.loaded ? Stage::ecc : Stage::dram_wait, now());
    if (request.loaded) {
        agenda_.push(request.encoded_at, WakeKind::encoded, request);
    }
}

bool DataMover::store(FlashRequest& request) {
    if (request.op->status != FlashStatus::ok) {
        planner_.plan_accesses(*request.op, request.pages);
    }
    if (request.pages.accesses.empty()) {
        return false;
    }
    request.step = Step::store;
    request.enter(Stage::dram_wait, now());
    if (request.op->accumulate) {
        request.onto.assign(request.content.size(), std::byte{0});
        issue(request, false, request.onto);
    } else {
        issue(request, true, request.content);
    }
    return true;
}

bool DataMover::accesses_done(FlashRequest& request) {
    const bool stored = request.step == Step::store;
    if (stored || request.step == Step::load) {
        request.enter(Stage::dram_transfer, now() - transfer_time(request, request.accesses_begin, now()));
    }
    if (!stored) {
        encode(request);
    } else if (request.op->accumulate && !request.added) {
        request.added = true;
        hal::xor_onto(request.content.data(), request.onto.data(), request.content.size());
        request.enter(Stage::dram_wait, now());
        issue(request, true, request.content);
        return false;
    }
    return stored;
}

/// Program data has left DRAM.
void DataMover::encode(FlashRequest& request) {
    request.loaded = true;
    request.encoded_at = now();
    if (request.pages.codewords > 0) {
        request.encoded_at = encoder_.accept(now(), request.pages.codewords);
    }
    if (request.step == Step::load) {  // its die waits for it
        request.enter(Stage::ecc, now());
        agenda_.push(request.encoded_at, WakeKind::encoded, request);
    }
}

void DataMover::power_cut() {
    encoder_.stop(now());
    encoder_.restart();
}

}  // namespace solidtlm::hw
