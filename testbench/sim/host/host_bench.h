// SPDX-License-Identifier: Apache-2.0
//
// For tests: host, port, link and device together. The firmware answers at once or after a fixed time, and
// the DRAM serves as the medium.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "hw/sata/test_doubles.h"
#include "testbench/sim/host/ata_host.h"
#include "testbench/sim/host/pacing.h"
#include "testbench/sim/host/port/ahci_port.h"
#include "testbench/sim/host/port/link_port.h"

namespace solidtlm::testbench {

using hw::SataConfig;
using hw::SataGeneration;
constexpr std::uint64_t kCapacity = 200000;

struct VectorSource : RequestSource {
    std::vector<Request> requests;
    std::size_t at = 0;
    bool next(Request& request) override {
        if (at == requests.size()) {
            return false;
        }
        request = requests[at++];
        return true;
    }
    void add(Operation operation, std::uint64_t lba, std::uint64_t sectors, bool queued = true) {
        Request request;
        request.operation = operation;
        request.lba = Lba{lba};
        request.sectors = sectors;
        request.queued = queued;
        requests.push_back(request);
    }
    void add_trim(std::vector<TrimRange> ranges, bool queued) {
        Request request;
        request.operation = Operation::trim;
        request.ranges = std::move(ranges);
        request.queued = queued;
        requests.push_back(request);
    }
};

/// Records what happened, checks every ledger, and keeps a shadow of the medium.
struct Shadow : CommandObserver {
    struct Done {
        std::uint64_t sequence;
        std::uint64_t request;
        Operation operation;
        bool queued;
        std::uint32_t retries;
        CommandStatus status;
        FailureKind failure;  ///< valid for a failed command
        Ps arrival, issued_at, completed_at;
        std::uint32_t outstanding_at_issue;
    };

    explicit Shadow(hal::ContentMode content_mode)
        : stride(hal::content_stride(content_mode)), medium(kCapacity * stride) {}

    void issued(Command& command) override {
        if (command.retries == 0 && command.operation == Operation::write && command.data.empty()) {
            command.content.resize(command.sectors * stride);
            for (std::byte& value : command.content) {
                value = static_cast<std::byte>(random());
            }
        }
        order.push_back(command.sequence);
        at_issue.resize(std::max<std::size_t>(at_issue.size(), command.sequence + 1));
        at_issue[command.sequence] = outstanding++;
        deepest = std::max(deepest, outstanding);
    }

    void completed(Command& command) override {
        outstanding -= 1;
        EXPECT_EQ(command.residual, Ps{0});
        EXPECT_EQ(command.ledger.total(), command.completed_at - command.arrival);
        done.push_back({command.sequence, command.request, command.operation, command.queued, command.retries,
                        command.status, command.failure, command.arrival, command.issued_at,
                        command.completed_at, at_issue[command.sequence]});
        total += command.ledger.total();
        last = command.ledger;
        if (command.status != CommandStatus::ok || stride == 0) {
            return;
        }
        std::byte* at = medium.data() + command.lba.value * stride;
        const std::size_t size = command.sectors * stride;
        if (command.operation == Operation::write) {
            std::memcpy(at, command.content.data(), size);
        } else if (command.operation == Operation::read) {
            ASSERT_EQ(command.content.size(), size);
            EXPECT_EQ(std::memcmp(at, command.content.data(), size), 0) << "LBA " << command.lba.value;
            ++verified;
        }
    }
    void finished() override { ++times_finished; }

    std::size_t stride;
    std::vector<std::byte> medium;
    std::vector<Done> done;
    std::vector<std::uint64_t> order;
    std::vector<std::uint32_t> at_issue;
    std::uint32_t outstanding = 0;
    std::uint32_t deepest = 0;
    std::uint64_t verified = 0;
    int times_finished = 0;
    Ps total{0};
    hal::Ledger last;
    std::mt19937_64 random{5};
};

struct Bench {
    /// With an adapter if `adapter` has a value.
    Bench(const SataConfig& settings, const Pacing& pacing, HostConfig host_config = {},
          const std::optional<AhciPortConfig>& adapter = {}, Ps gather_time = Ps{0})
        : config(with_capacity(settings)),
          shadow(config.content),
          link("link", config),
          device("device", config),
          dram("dram", config.content, config.content == hal::ContentMode::none ? 0 : kCapacity),
          firmware("firmware", device),
          link_port(adapter ? nullptr : std::make_unique<LinkPort>("port", nullptr, gather_time)),
          ahci_port(adapter ? std::make_unique<AhciPort>("port", *adapter) : nullptr),
          host("host", with_content(host_config, config.content),
               adapter ? static_cast<DevicePort&>(*ahci_port) : *link_port, source, pacing, shadow,
               adapter ? ahci_port->agenda() : link_port->agenda()) {
        if (adapter) {
            checkers.join(ahci_port->hba().link_init[0], link.host.target);
            checkers.join(link.host.init, ahci_port->hba().link_target[0]);
        } else {
            checkers.join(link_port->link.init, link.host.target);
            checkers.join(link.host.init, link_port->link.target);
        }
        checkers.join(device.link.init, link.device.target);
        checkers.join(link.device.init, device.link.target);
        checkers.join(device.dram_init, dram.host_target);
    }
    static SataConfig with_capacity(SataConfig settings) {
        settings.exported_sectors = kCapacity;
        return settings;
    }
    static HostConfig with_content(HostConfig settings, hal::ContentMode mode) {
        settings.content = mode;
        return settings;
    }
    void run(double ms = 10000) { sc_core::sc_start(ms, sc_core::SC_MS); }

    SataConfig config;
    VectorSource source;
    Shadow shadow;
    hw::SataLink link;
    hw::SataDevice device;
    hw::test::FakeDram dram;
    hw::test::FakeFirmware firmware;
    std::unique_ptr<LinkPort> link_port;
    std::unique_ptr<AhciPort> ahci_port;
    AtaHost host;
    hw::ProtocolCheckers checkers;
};

inline SataConfig fast() {
    SataConfig config;
    config.content = hal::ContentMode::none;
    return config;
}

/// Time of frames with these numbers of dwords: (d + 3) * 256/254 + turnaround dword times each.
inline double link_seconds(const std::vector<double>& dwords, double turnaround, double mhz) {
    double times = 0;
    for (const double d : dwords) {
        times += (d + 3.0) * 256.0 / 254.0 + turnaround;
    }
    return times / (mhz * 1e6);
}

inline std::vector<double> read_frames(std::uint32_t sectors) {
    std::vector<double> dwords{5, 5, 7};
    for (std::uint32_t bytes = sectors * 512; bytes > 0; bytes -= std::min(bytes, 8192U)) {
        const std::uint32_t payload_dwords = std::min(bytes, 8192U) / 4;
        dwords.push_back(1.0 + payload_dwords);
    }
    dwords.push_back(2);
    return dwords;
}

inline std::vector<double> write_frames(std::uint32_t sectors) {
    std::vector<double> dwords = read_frames(sectors);
    for (std::uint32_t bytes = sectors * 512; bytes > 8192; bytes -= 8192) {
        dwords.push_back(1);  // a DMA Activate before every Data FIS except the first
    }
    return dwords;
}

/// A driver, bus and memory that take time, and memory in pieces.
inline AhciPortConfig slow_adapter() {
    AhciPortConfig config;
    config.adapter.register_access = std::chrono::nanoseconds{400};
    config.adapter.dma_access = std::chrono::nanoseconds{300};
    config.adapter.dma_dword = std::chrono::nanoseconds{2};
    config.adapter.dma_burst_bytes = 256;
    config.prd_bytes = 1536;
    config.submit_time = std::chrono::microseconds{2};
    config.complete_time = std::chrono::microseconds{1};
    return config;
}

}  // namespace solidtlm::testbench
