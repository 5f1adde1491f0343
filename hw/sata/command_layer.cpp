// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/command_layer.h"

#include <bit>

#include "fw/hal/check.h"
#include "hw/sata/dsm.h"
#include "hw/sata/log_pages.h"
#include "hw/sata/self_test.h"

namespace solidtlm::hw {
namespace {

using ata::Opcode;

constexpr std::uint8_t kTagShift = 3;
constexpr std::uint8_t kSubcommandShift = 8;

void decode_transfer(DecodedCommand& command, hal::HostOpcode opcode, std::uint16_t count,
                     const SataConfig& config, std::uint32_t most_sectors = ata::kMaxTransferSectors) {
    command.opcode = opcode;
    command.sectors = count == 0 ? most_sectors : count;
    command.data_bytes = command.sectors * hal::kSectorBytes;
    if (command.lba.value + command.sectors > config.exported_sectors) {
        command.error = ata::kIdNotFound;
        return;
    }
    command.action = Action::firmware;
}

// READ DMA, WRITE DMA (ACS-3 7.20 and 7.58) and the like: address bits 27:24 are in Device, the count has 8
// bits.
void decode_transfer_28(DecodedCommand& command, hal::HostOpcode opcode, const RegisterH2d& fis,
                        const SataConfig& config) {
    constexpr std::uint64_t kLow = 0xFFFFFF;
    constexpr unsigned kHigh = 0x0F;
    command.lba = hal::Lba{(fis.lba.value & kLow) | std::uint64_t{fis.device & kHigh} << 24U};
    decode_transfer(command, opcode, fis.count & 0xFFU, config, ata::kMaxTransferSectors28);
}

/// READ and WRITE SECTOR(S), READ and WRITE MULTIPLE, with EXT and FUA.
void decode_pio(DecodedCommand& command, const RegisterH2d& fis, const SataConfig& config) {
    const auto opcode = static_cast<Opcode>(fis.command);
    const auto is = [opcode](auto... one_of) { return ((opcode == one_of) || ...); };
    const bool read =
        is(Opcode::read_sectors, Opcode::read_sectors_ext, Opcode::read_multiple, Opcode::read_multiple_ext);
    const auto host_opcode = read ? hal::HostOpcode::read : hal::HostOpcode::write;
    command.protocol =
        is(Opcode::read_sectors, Opcode::read_sectors_ext, Opcode::write_sectors, Opcode::write_sectors_ext)
            ? DataProtocol::pio
            : DataProtocol::pio_multiple;
    command.fua = is(Opcode::write_multiple_fua_ext);
    if (is(Opcode::read_sectors, Opcode::write_sectors, Opcode::read_multiple, Opcode::write_multiple)) {
        decode_transfer_28(command, host_opcode, fis, config);
    } else {
        decode_transfer(command, host_opcode, fis.count, config);
    }
}

/// SET MULTIPLE MODE (ACS-3 7.46): IDENTIFY word 47 has the most sectors.
void decode_multiple(DecodedCommand& command, const RegisterH2d& fis) {
    const auto sectors = static_cast<std::uint8_t>(fis.count);
    if (sectors == 0 || (sectors <= ata::kMostMultiple && std::has_single_bit(sectors))) {
        command.action = Action::multiple;
        command.multiple = sectors;
    }
}

// TRIM by either command: `blocks` 512-byte blocks of ranges follow.
void decode_trim(DecodedCommand& command, bool is_trim, std::uint32_t blocks, const SataConfig& config) {
    if (!is_trim || blocks == 0 || blocks > config.max_dsm_blocks) {
        return;
    }
    command.action = Action::trim;
    command.opcode = hal::HostOpcode::trim;
    command.data_bytes = blocks * kDsmBlockBytes;
}

void decode_ncq(DecodedCommand& command, const RegisterH2d& fis, const SataConfig& config) {
    command.ncq = true;
    command.tag = static_cast<std::uint8_t>(fis.count >> kTagShift & ata::kTagMask);
    switch (static_cast<Opcode>(fis.command)) {
        case Opcode::read_fpdma_queued:
        case Opcode::write_fpdma_queued: {
            const bool read = static_cast<Opcode>(fis.command) == Opcode::read_fpdma_queued;
            command.fua = (fis.device & ata::kDeviceFua) != 0;
            decode_transfer(command, read ? hal::HostOpcode::read : hal::HostOpcode::write, fis.features,
                            config);
            break;
        }
        case Opcode::send_fpdma_queued: {
            const auto subcommand = static_cast<std::uint8_t>(fis.count >> kSubcommandShift & ata::kTagMask);
            const bool is_trim =
                subcommand == ata::kSendDataSetManagement && (fis.auxiliary & ata::kDsmTrim) != 0;
            decode_trim(command, is_trim, fis.features, config);
            break;
        }
        default:  // NCQ NON-DATA and RECEIVE FPDMA QUEUED are not implemented: ABRT
            break;
    }
}

void decode_set_features(DecodedCommand& command, const RegisterH2d& fis) {
    const auto subcommand = static_cast<std::uint8_t>(fis.features);
    switch (subcommand) {
        case ata::kFeatureWriteCacheOn:
        case ata::kFeatureWriteCacheOff:
            command.action = Action::firmware;
            command.opcode = hal::HostOpcode::set_write_cache;
            command.enable = subcommand == ata::kFeatureWriteCacheOn;
            break;
        case ata::kFeatureTransferMode:  // without meaning on a serial link, but hosts send it
            command.action = Action::acknowledge;
            break;
        case ata::kFeatureSataOn:
        case ata::kFeatureSataOff:
            if (static_cast<std::uint8_t>(fis.count) == ata::kSataAutoActivate) {
                command.action = Action::auto_activate;
                command.enable = subcommand == ata::kFeatureSataOn;
            }
            break;
        default:
            break;
    }
}

void ask_health(DecodedCommand& command) {
    command.action = Action::health;
    command.opcode = hal::HostOpcode::report_health;
}

/// READ LOG EXT, READ LOG DMA EXT, SMART READ LOG: the pages asked for, if the log has them.
void decode_log(DecodedCommand& command, const PagesAsked& asked) {
    command.pages = asked;
    if (asked.count == 0 ||
        asked.first + std::uint32_t{asked.count} > log_pages(asked.log_address, asked.access)) {
        return;
    }
    if (asked.log_address == ata::kLogDeviceStatistics) {
        ask_health(command);
    } else {
        command.action = Action::read_log;
    }
}

void decode_read_log(DecodedCommand& command, const RegisterH2d& fis, bool by_dma) {
    PagesAsked asked;
    asked.log_address = static_cast<std::uint8_t>(fis.lba.value);
    asked.first =
        static_cast<std::uint16_t>((fis.lba.value >> 8U & 0xFFU) | (fis.lba.value >> 24U & 0xFF00U));
    asked.count = fis.count;
    asked.by_dma = by_dma;
    asked.clears = asked.log_address == ata::kLogPhyEvents && (fis.features & 1U) != 0;
    decode_log(command, asked);
}

void decode_smart_log(DecodedCommand& command, const RegisterH2d& fis) {
    PagesAsked asked;
    asked.access = LogAccess::smart;
    asked.log_address = static_cast<std::uint8_t>(fis.lba.value);
    asked.count = fis.count & 0xFFU;
    decode_log(command, asked);
}

/// SMART EXECUTE OFF-LINE IMMEDIATE (ACS-3 7.48.6): the off-line routine has nothing to collect.
void decode_self_test(DecodedCommand& command, const RegisterH2d& fis) {
    command.test = static_cast<std::uint8_t>(fis.lba.value);
    const auto number = static_cast<std::uint8_t>(command.test & ~SelfTest::kCaptive);
    if (command.test == 0 || command.test == SelfTest::kAbort || SelfTest::known(number)) {
        command.action = Action::self_test;
    }
}

/// Attributes are counts in DRAM and lost with power, whether autosave is on or off.
void decode_autosave(DecodedCommand& command, const RegisterH2d& fis) {
    const auto value = static_cast<std::uint8_t>(fis.count);
    if (value == 0 || value == ata::kSmartAutosaveOn) {
        command.action = Action::acknowledge;
    }
}

void decode_smart(DecodedCommand& command, const RegisterH2d& fis) {
    if ((fis.lba.value >> 8U & 0xFFFFU) != ata::kSmartSignature) {
        return;
    }
    const auto subcommand = static_cast<std::uint8_t>(fis.features);
    command.needs_smart = subcommand != ata::kSmartEnable;
    switch (subcommand) {
        case ata::kSmartReadData:
            ask_health(command);
            command.pages.of = PagesAsked::Of::smart_data;
            break;
        case ata::kSmartReadThresholds:
            ask_health(command);
            command.pages.of = PagesAsked::Of::smart_thresholds;
            break;
        case ata::kSmartReturnStatus:
            ask_health(command);
            command.pages.of = PagesAsked::Of::smart_status;
            break;
        case ata::kSmartEnable:
        case ata::kSmartDisable:
            command.action = Action::smart;
            command.enable = subcommand == ata::kSmartEnable;
            break;
        case ata::kSmartAutosave:
            decode_autosave(command, fis);
            break;
        case ata::kSmartExecute:
            decode_self_test(command, fis);
            break;
        case ata::kSmartReadLog:
            decode_smart_log(command, fis);
            break;
        default:  // no log can be written, SAVE ATTRIBUTE VALUES and AUTO OFF-LINE are obsolete: ABRT
            break;
    }
}

/// Power management (ACS-3 4.18): firmware writes the volatile cache before Standby and Sleep.
void decode_power(DecodedCommand& command, const RegisterH2d& fis) {
    const auto opcode = static_cast<Opcode>(fis.command);
    command.opcode = hal::HostOpcode::flush;
    command.power.mode = opcode == Opcode::sleep ? PowerModeName::sleep
                         : opcode == Opcode::idle || opcode == Opcode::idle_immediate
                             ? PowerModeName::idle
                             : PowerModeName::standby;
    if (opcode == Opcode::idle || opcode == Opcode::standby) {
        command.power.timer = standby_period(static_cast<std::uint8_t>(fis.count));
        if (!command.power.timer) {
            return;
        }
    }
    command.action = Action::power;
}

void decode_verify(DecodedCommand& command, const RegisterH2d& fis, const SataConfig& config) {
    command.fua = true;
    if (static_cast<Opcode>(fis.command) == Opcode::read_verify_ext) {
        decode_transfer(command, hal::HostOpcode::verify, fis.count, config);
    } else {
        decode_transfer_28(command, hal::HostOpcode::verify, fis, config);
    }
    command.data_bytes = 0;
}

// Flagged sectors (AAh) and the vendor-specific values (5Ah, A5h) are not implemented: ABRT.
void decode_write_uncorrectable(DecodedCommand& command, const RegisterH2d& fis, const SataConfig& config) {
    if (static_cast<std::uint8_t>(fis.features) != ata::kPseudoUncorrectable) {
        return;
    }
    decode_transfer(command, hal::HostOpcode::write_uncorrectable, fis.count, config);
    command.data_bytes = 0;
}

}  // namespace

DecodedCommand decode_command(const RegisterH2d& fis, const SataConfig& config) {
    SOLIDTLM_CHECK(fis.is_command, "the FIS carries a command");
    DecodedCommand command;
    command.lba = fis.lba;
    switch (static_cast<Opcode>(fis.command)) {
        case Opcode::read_fpdma_queued:
        case Opcode::write_fpdma_queued:
        case Opcode::ncq_non_data:
        case Opcode::send_fpdma_queued:
        case Opcode::receive_fpdma_queued:
            decode_ncq(command, fis, config);
            break;
        case Opcode::read_dma_ext:
            decode_transfer(command, hal::HostOpcode::read, fis.count, config);
            break;
        case Opcode::write_dma_fua_ext:
            command.fua = true;
            [[fallthrough]];
        case Opcode::write_dma_ext:
            decode_transfer(command, hal::HostOpcode::write, fis.count, config);
            break;
        case Opcode::read_dma:
            decode_transfer_28(command, hal::HostOpcode::read, fis, config);
            break;
        case Opcode::write_dma:
            decode_transfer_28(command, hal::HostOpcode::write, fis, config);
            break;
        case Opcode::read_sectors:
        case Opcode::read_sectors_ext:
        case Opcode::read_multiple:
        case Opcode::read_multiple_ext:
        case Opcode::write_sectors:
        case Opcode::write_sectors_ext:
        case Opcode::write_multiple:
        case Opcode::write_multiple_ext:
        case Opcode::write_multiple_fua_ext:
            decode_pio(command, fis, config);
            break;
        case Opcode::set_multiple_mode:
            decode_multiple(command, fis);
            break;
        case Opcode::data_set_management:
            decode_trim(command, (fis.features & ata::kDsmTrim) != 0, fis.count, config);
            break;
        case Opcode::flush_cache:
        case Opcode::flush_cache_ext:
            command.action = Action::firmware;
            command.opcode = hal::HostOpcode::flush;
            break;
        case Opcode::standby_immediate:
        case Opcode::idle_immediate:
        case Opcode::standby:
        case Opcode::idle:
        case Opcode::sleep:
            decode_power(command, fis);
            break;
        case Opcode::execute_device_diagnostic:
            command.action = Action::diagnose;
            break;
        case Opcode::read_verify:
        case Opcode::read_verify_ext:
            decode_verify(command, fis, config);
            break;
        case Opcode::check_power_mode:
            command.action = Action::power_mode;
            break;
        case Opcode::identify_device:
            command.action = Action::identify;
            command.data_bytes = hal::kSectorBytes;
            break;
        case Opcode::read_log_ext:
        case Opcode::read_log_dma_ext:
            decode_read_log(command, fis, static_cast<Opcode>(fis.command) == Opcode::read_log_dma_ext);
            break;
        case Opcode::smart:
            decode_smart(command, fis);
            break;
        case Opcode::write_uncorrectable_ext:
            decode_write_uncorrectable(command, fis, config);
            break;
        case Opcode::set_features:
            decode_set_features(command, fis);
            break;
    }
    return command;
}

}  // namespace solidtlm::hw
