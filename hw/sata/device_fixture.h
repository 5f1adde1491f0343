// SPDX-License-Identifier: Apache-2.0
//
// For tests: link and device, between a scripted host and doubles of firmware and DRAM.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/sata/log_page.h"
#include "hw/sata/test_doubles.h"

namespace solidtlm::hw::test {

using ata::Opcode;
using Types = std::vector<FisType>;
constexpr std::uint64_t kCapacity = 200000;

class DeviceTest : public testing::Test {
  protected:
    // Builds the parts, runs until the signature has come, and takes it off the host's list of frames.
    void start(const SataConfig& settings = {}) {
        config = settings;
        config.exported_sectors = kCapacity;
        link = std::make_unique<SataLink>("link", config);
        device = std::make_unique<SataDevice>("device", config);
        host = std::make_unique<ScriptHost>("host", config.content);
        dram = std::make_unique<FakeDram>("dram", config.content, kCapacity);
        firmware = std::make_unique<FakeFirmware>("firmware", *device);
        checkers.join(host->link_init, link->host.target);
        checkers.join(link->host.init, host->link_target);
        checkers.join(device->link.init, link->device.target);
        checkers.join(link->device.init, device->link.target);
        checkers.join(device->dram_init, dram->host_target);
        run();
        signature = host->frames;
        host->frames.clear();
    }
    static void run(int us = 1000) { sc_core::sc_start(us, sc_core::SC_US); }
    /// Cuts power, and brings it back.
    void cycle_power() {
        firmware->power_cut();
        device->power_cut();
        link->power_cut();
        firmware->attach();
        device->power_on();
        run();
    }

    void send(const RegisterH2d& fis) { host->send(encode(fis)); }
    static RegisterH2d ncq(Opcode opcode, std::uint8_t tag, std::uint64_t lba, std::uint16_t sectors) {
        RegisterH2d fis;
        fis.command = static_cast<std::uint8_t>(opcode);
        fis.features = sectors;
        fis.lba = hal::Lba{lba};
        fis.device = ata::kDeviceLba;
        fis.count = static_cast<std::uint16_t>(tag << 3U);
        return fis;
    }
    static RegisterH2d plain(Opcode opcode, std::uint64_t lba = 0, std::uint16_t count = 0,
                             std::uint16_t features = 0) {
        RegisterH2d fis;
        fis.command = static_cast<std::uint8_t>(opcode);
        fis.features = features;
        fis.lba = hal::Lba{lba};
        fis.device = ata::kDeviceLba;
        fis.count = count;
        return fis;
    }
    /// Until the device has answered; the host's list then has these frames alone.
    void transfer(const RegisterH2d& fis) {
        host->frames.clear();
        send(fis);
        run();
    }
    /// The page that a Data FIS carried.
    [[nodiscard]] LogPage page(std::size_t frame, std::size_t offset = 0) const {
        LogPage result{};
        const auto& content = host->frames.at(frame).content;
        EXPECT_GE(content.size(), offset + result.size());
        std::ranges::copy(std::span(content).subspan(offset, result.size()), result.begin());
        return result;
    }
    /// The page that the command reads by PIO.
    LogPage read(const RegisterH2d& fis) {
        transfer(fis);
        EXPECT_EQ(host->types(), (Types{FisType::pio_setup, FisType::data}));
        return page(1);
    }
    RegisterD2h d2h(std::size_t index) const {
        EXPECT_EQ(host->frames.at(index).header.type(), FisType::register_d2h);
        return decode<RegisterD2h>(host->frames.at(index).header.bytes.data());
    }
    SetDeviceBits bits(std::size_t index) const {
        EXPECT_EQ(host->frames.at(index).header.type(), FisType::set_device_bits);
        return decode<SetDeviceBits>(host->frames.at(index).header.bytes.data());
    }
    void expect_abort(const RegisterH2d& fis, std::uint8_t error = ata::kAbort) {
        transfer(fis);
        ASSERT_EQ(host->types(), Types{FisType::register_d2h}) << "opcode " << int{fis.command};
        EXPECT_EQ(d2h(0).status, 0x51);
        EXPECT_EQ(d2h(0).error, error);
        EXPECT_TRUE(d2h(0).interrupt);
        EXPECT_EQ(device->outstanding(), 0U);
    }
    void expect_good(const RegisterH2d& fis) {
        transfer(fis);
        ASSERT_EQ(host->types(), Types{FisType::register_d2h});
        EXPECT_EQ(d2h(0).status, 0x50);
        EXPECT_EQ(d2h(0).error, 0);
    }
    std::optional<NcqError> read_error_log(bool halted) {
        transfer(plain(Opcode::read_log_ext, ata::kLogNcqError, 1));
        Types expected{FisType::set_device_bits, FisType::pio_setup, FisType::data};
        if (!halted) {
            expected.erase(expected.begin());
        }
        EXPECT_EQ(host->types(), expected);
        if (halted) {
            EXPECT_EQ(bits(0).sactive, 0xFFFFFFFFU);
            EXPECT_EQ(bits(0).status & ata::kErr, 0);
        }
        return parse_ncq_error_log(host->frames.back().content);
    }

    SataConfig config;
    std::unique_ptr<SataLink> link;
    std::unique_ptr<SataDevice> device;
    std::unique_ptr<ScriptHost> host;
    std::unique_ptr<FakeDram> dram;
    std::unique_ptr<FakeFirmware> firmware;
    ProtocolCheckers checkers;
    std::vector<ScriptHost::Frame> signature;
};

}  // namespace solidtlm::hw::test
