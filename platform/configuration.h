// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a simulated drive: its fields, its sources, and its checks.
//
// Layers, later ones win: built-in defaults < preset < defaults of the executable < files (in order; a file's
// `base` comes before it) < settings (`key=value`, in order). Every key is declared once
// (configuration_keys.h). After loading, a Configuration is complete and consistent; pass it on as const&.
//
// MB = 10^6 bytes, MiB = 2^20 bytes. Over-provisioning is S_f = (T - U) / T, T raw and U exported capacity
// (Desnoyers 2012), not the marketing form (T - U) / U.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fw/drive/config.h"
#include "fw/hal/key.h"
#include "hw/ahci/config.h"
#include "hw/core/config.h"
#include "hw/dram/config.h"
#include "hw/hash/config.h"
#include "hw/nand/config.h"
#include "hw/nvme/config.h"
#include "hw/pcie/config.h"
#include "hw/sata/config.h"
#include "platform/energy_config.h"
#include "platform/keys.h"

namespace solidtlm::platform {

/// How a host accesses the drive.
enum class HostInterface : std::uint8_t {
    link,  ///< the host speaks FISes itself
    ahci,  ///< through an adapter and its driver (testbench/sim/host/port/ahci_port.h)
    nvme,  ///< with a driver for NVMe drives (testbench/sim/host/nvme_host.h)
};

/// The driver of an NVMe drive.
struct NvmeDriver {
    SOLIDTLM_KEYS(NvmeDriver);
    SOLIDTLM_KEY(std::uint32_t, queues, 1, key.integer(1, 64),
                 "Pairs of I/O queues that the driver creates, as for so many processors, at most "
                 "nvme.queues; commands go to them in turn.");
    SOLIDTLM_KEY(std::uint32_t, queue_entries, 1024, key.integer(2, 65'536, "entries"),
                 "Of each, but no more than nvme.queue_entries; a queue holds one command fewer.");
    SOLIDTLM_KEY(std::uint32_t, queue_depth, 32, key.integer(1, 65'536, "commands"),
                 "Commands outstanding in all of them, at most; --queue-depth says otherwise.");
    SOLIDTLM_KEY(
        bool, polls, false, key.boolean(),
        "The driver sees a completion as soon as it is in memory; without, the drive interrupts by MSI-X.");
};

/// The host, which takes no time by default (testbench/sim/host/config.h).
struct HostSide {
    SOLIDTLM_KEYS(HostSide);
    SOLIDTLM_KEY_AS("submit_time", hal::Ps, submit, 0, key.duration(Ps{0}, 1s),
                    "Time of the host's processor to submit a command; commands queue for it.");
    SOLIDTLM_KEY_AS(
        "complete_time", hal::Ps, complete, 0, key.duration(Ps{0}, 1s),
        "Time of the host's processor to handle the completion of a command; commands queue for it.");
    SOLIDTLM_KEY_AS("hba_read_time", hal::Ps, hba_read, 0, key.duration(Ps{0}, 1s),
                    "Time of a host bus adapter with firmware of its own for the end of a read; it serves "
                    "one command after another.");
    SOLIDTLM_KEY_AS("hba_write_time", hal::Ps, hba_write, 0, key.duration(Ps{0}, 1s),
                    "And for the end of any other command.");
    SOLIDTLM_KEY(
        hal::Ps, interrupt_latency, 0, key.duration(Ps{0}, 1s),
        "From then until the host's processor is interrupted (interrupt, wake-up); occupies nothing.");
    SOLIDTLM_KEY(hal::Ps, gather_time, 0, key.duration(Ps{0}, 1s),
                 "Time of the host's adapter from a DMA Setup or DMA Activate FIS until it has the data of a "
                 "Data FIS from memory; the link is free meanwhile.");
    SOLIDTLM_KEY(hal::Ps, coalesce_time, 0, key.duration(Ps{0}, 1s),
                 "Interrupt coalescing: the host is interrupted after so long with commands outstanding, "
                 "counted from the last interrupt (AHCI CCC_CTL.TV, there in ms); 0s: at each completion.");
    SOLIDTLM_KEY(std::uint32_t, coalesce_completions, 0, key.integer(0, 255, "completions"),
                 "And after so many completions (CCC_CTL.CC); 0: by time alone. Needs host.coalesce_time.");
    SOLIDTLM_KEY(HostInterface, interface, HostInterface::link, key.enumerator({"link", "ahci", "nvme"}),
                 "link: SATA; the host speaks FISes itself, at no cost. ahci: SATA; a driver, an AHCI "
                 "adapter with registers, DMA and interrupts (ahci.md); needs content = \"bytes\". nvme: the "
                 "drive is an NVMe drive on PCI Express (nvme.md).");
    SOLIDTLM_KEY_TABLE(hw::AhciConfig, ahci);
    SOLIDTLM_KEY_AS("ahci.prd_size", std::uint32_t, prd_bytes, 65536, key.size(512, 4 * hal::kMiB),
                    "Memory of a command that lies together, a multiple of 512 bytes: one entry of its PRD "
                    "table. A command has at most 168.");
    NvmeDriver nvme;
};

struct Configuration {
    SOLIDTLM_KEYS(Configuration);
    SOLIDTLM_KEY(std::uint64_t, seed, 1, key.integer(0, key.kMostInteger),
                 "Seed of everything random in the firmware and the workload; same seed, same result.");
    SOLIDTLM_KEY(hal::ContentMode, content, hal::ContentMode::tags, key.enumerator({"none", "tags", "bytes"}),
                 "What sectors contain in every block: none (fast), tags (a 64-bit identity per sector, "
                 "every read can be verified), bytes (real contents).");
    /// Quantum of the drive's agenda (hw/tlm/agenda.h).
    SOLIDTLM_KEY(hal::Ps, run_ahead, 1'000'000'000, key.duration(Ps{0}, 1s),
                 "How far the drive may run ahead of the SystemC kernel while no other module has anything "
                 "to do (temporal decoupling); 0s: in step. Changes no result, only the time it takes.");
    /// (T - U) / T in force; computed when a capacity was asked for.
    SOLIDTLM_KEY_AS(
        "ssd.over_provisioning", double, over_provisioning, 0.07, key.number(0.0, 0.999999),
        "Spare capacity as a fraction of the raw capacity, (T - U) / T. Not together with ssd.capacity.");
    std::uint64_t capacity_bytes = 0;  ///< exported capacity asked for; 0: follows from over_provisioning
    SOLIDTLM_KEY_OF(
        "ssd.capacity", &Configuration::capacity_bytes, key.size(512, key.kMostInteger),
        "Capacity the host sees, in whole mapping units; over-provisioning follows. Vendors give sectors "
        "(\"976773168 sectors\" for 500 GB). Not together with ssd.over_provisioning.",
        "-");
    SOLIDTLM_KEY_TABLE(hw::NandConfig, nand);
    SOLIDTLM_KEY_TABLE_OF(
        "faults", [](auto& all) -> auto& { return all.nand.faults; });
    SOLIDTLM_KEY_TABLE(hw::DramConfig, dram);
    SOLIDTLM_KEY_TABLE(hw::HashConfig, hash);
    SOLIDTLM_KEY_TABLE(hw::CoreConfig, core);
    SOLIDTLM_KEY_TABLE(hw::SataConfig, sata);
    SOLIDTLM_KEY_TABLE(HostSide, host);
    SOLIDTLM_KEY_TABLE(hw::NvmeConfig, nvme);
    SOLIDTLM_KEY_TABLE(hw::PcieConfig, pcie);
    SOLIDTLM_KEY_TABLE_OF(
        "host.nvme", [](auto& all) -> auto& { return all.host.nvme; });
    SOLIDTLM_KEY_TABLE(EnergyConfig, energy);
    SOLIDTLM_KEY_TABLE(fw::FirmwareConfig, firmware);
    std::string preset = "default";  ///< the preset it starts from

    [[nodiscard]] bool has_nvme() const { return host.interface == HostInterface::nvme; }
    /// Entries of each queue that the host's driver creates.
    [[nodiscard]] std::uint32_t nvme_entries() const {
        return std::min(host.nvme.queue_entries, nvme.queue_entries);
    }
    [[nodiscard]] std::uint64_t raw_bytes() const { return nand.geometry.total_bytes(); }
    /// Mapping units of the raw data area.
    [[nodiscard]] std::uint64_t raw_units() const { return raw_bytes() / firmware.unit_bytes; }
    [[nodiscard]] std::uint64_t exported_bytes() const {
        return firmware.exported_sectors * hal::kSectorBytes;
    }
};

/// One mistake of the user. `source` is a file name, "preset NAME", "defaults of this executable", an option
/// such as "--set", or "built-in".
struct ConfigurationIssue {
    std::string source;
    std::uint32_t line = 0;  ///< 1 is the first; 0: the source has no lines
    std::string key;         ///< may be empty (the file as a whole)
    std::string message;     ///< what was found, what is allowed, nearest known key

    [[nodiscard]] std::string text() const;  ///< "source:line: key: message"
};

/// All mistakes together. what() has one line per issue. Executables exit with 2.
class ConfigurationError : public std::runtime_error {
  public:
    explicit ConfigurationError(std::vector<ConfigurationIssue> issues);
    [[nodiscard]] const std::vector<ConfigurationIssue>& issues() const { return issues_; }

  private:
    std::vector<ConfigurationIssue> issues_;
};

/// An entry of a file that does not belong to the drive.
struct ForeignEntry {
    std::string key;
    std::vector<std::string> values;  ///< those of a list, or a single one
    std::string source;
    std::uint32_t line = 0;  ///< as in ConfigurationIssue
};

/// A table in the files whose entries another reader takes, such as `[run]`.
struct ForeignTable {
    std::string name = {};  ///< empty: no such table is allowed
    /// Returns the mistakes, without their place. If empty, the entries are skipped.
    std::function<Errors(const ForeignEntry&)> take = {};
};

struct ConfigurationSources {
    std::string preset = {};  ///< empty: the preset that a file names, else `defaults`, else "default"
    /// TOML, or the result of a run (*.json): all of its `config` counts, and its `parameters` are the
    /// foreign table. `generated = true` at the top of a file says that a program wrote it: its keys without
    /// effect are no mistakes.
    std::vector<std::filesystem::path> files = {};
    std::vector<std::string> settings = {};  ///< "key=value"
    /// Options that set a key, by the text of their setting; other settings come from --set.
    std::map<std::string, std::string> options = {};
    /// TOML of the executable, with lower priority than the user's files. Its `preset` counts if the user
    /// names none.
    std::string defaults = {};
    /// The executable sets further keys itself, so keys without effect here may have one in its runs: they
    /// are no mistakes (platform/idle_keys.h).
    bool varied = false;
    /// Null, or the drive that this one is a variant of: a key without effect that is set there, too, is no
    /// mistake here.
    const Configuration* variant_of = nullptr;
    ForeignTable foreign = {};
};

/// Reads, layers and checks the sources. Throws ConfigurationError.
Configuration load_configuration(const ConfigurationSources& sources);

/// As above, from TOML text instead of files; messages use `name` as the file name.
Configuration parse_configuration(std::string_view toml, std::string_view name,
                                  const std::vector<std::string>& settings = {},
                                  const ForeignTable& foreign = {});

/// `base` with settings that an executable has chosen, not the user.
Configuration variant_of(const Configuration& base, const std::vector<std::string>& settings);

/// The effective configuration as TOML that parse_configuration() turns into the same configuration.
std::string to_toml(const Configuration& configuration);

/// As to_toml(), but with only the keys that differ from the preset, if these suffice; otherwise with all
/// keys. Contains `generated` if needed.
std::string to_short_toml(const Configuration& configuration);

/// As to_toml(), as nested JSON for result files: durations as in TOML ("50us"), sizes in bytes, and an
/// object `derived` with what follows from the keys (capacities, metadata).
nlohmann::ordered_json to_json(const Configuration& configuration);

/// Every key with type, default, allowed values and meaning: as plain text for a terminal, and as the body of
/// docs/configuration.md.
std::string list_keys_text();
std::string list_keys_markdown();

}  // namespace solidtlm::platform
