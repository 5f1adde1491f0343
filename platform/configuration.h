// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a simulated drive: what is read, from where, and how it is checked.
//
// Layers, later ones win: built-in defaults < preset < defaults of the executable < files (in order; a file's
// `base` comes before it) < settings (`key=value`, in order). Every key is described once, in
// configuration_keys.h. After loading, a Configuration is complete and consistent; hand it on as const&.
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

/// How a host reaches the drive.
enum class HostInterface : std::uint8_t {
    link,  ///< it speaks FISes itself
    ahci,  ///< an adapter and its driver (testbench/host/port/ahci_port.h)
    nvme,  ///< a driver of an NVMe drive (testbench/host/nvme_host.h)
};

/// The driver of an NVMe drive.
struct NvmeDriver {
    std::uint32_t queues = 1;
    std::uint32_t queue_entries = 1024;
    std::uint32_t queue_depth = 32;
    bool polls = false;
};

/// The host, which takes no time by default (testbench/host/config.h).
struct HostSide {
    hal::Ps submit{0};
    hal::Ps complete{0};
    hal::Ps hba_read{0};
    hal::Ps hba_write{0};
    hal::Ps interrupt_latency{0};
    hal::Ps gather_time{0};
    hal::Ps coalesce_time{0};
    std::uint32_t coalesce_completions = 0;
    HostInterface interface = HostInterface::link;
    hw::AhciConfig ahci;  ///< a configuration does not set its ports
    std::uint32_t prd_bytes = 65536;
    NvmeDriver nvme;
};

struct Configuration {
    std::string preset = "default";  ///< the preset it starts from
    std::uint64_t seed = 1;          ///< of everything random in the firmware and the workload
    hal::ContentMode content = hal::ContentMode::tags;  ///< of every block
    hal::Ps run_ahead{1'000'000'000};                   ///< quantum of the drive's agenda (hw/tlm/agenda.h)
    bool closed_forms = true;                           ///< data phases may be run late (hw/tlm/machine.h)
    double over_provisioning = 0.07;   ///< (T - U) / T in force; computed when a capacity was asked for
    std::uint64_t capacity_bytes = 0;  ///< exported capacity asked for; 0: follows from over_provisioning
    hw::NandConfig nand;
    hw::DramConfig dram;
    hw::HashConfig hash;
    hw::CoreConfig core;
    hw::SataConfig sata;
    hw::NvmeConfig nvme;
    hw::PcieConfig pcie;
    HostSide host;
    EnergyConfig energy;
    fw::FirmwareConfig firmware;

    [[nodiscard]] bool has_nvme() const { return host.interface == HostInterface::nvme; }
    /// I/O queue pairs that the host's driver creates, and entries of each.
    [[nodiscard]] std::uint32_t nvme_pairs() const { return std::min(host.nvme.queues, nvme.queues); }
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

/// All mistakes at once. what() has one line per issue. Executables exit with 2.
class ConfigurationError : public std::runtime_error {
  public:
    explicit ConfigurationError(std::vector<ConfigurationIssue> issues);
    [[nodiscard]] const std::vector<ConfigurationIssue>& issues() const { return issues_; }

  private:
    std::vector<ConfigurationIssue> issues_;
};

/// An entry of a file that is not about the drive.
struct ForeignEntry {
    std::string key;
    std::vector<std::string> values;  ///< of a list, or one
    std::string source;
    std::uint32_t line = 0;  ///< as in ConfigurationIssue
};

/// A table of the files whose entries another reader takes, such as `[run]`.
struct ForeignTable {
    std::string name = {};  ///< empty: there is none, and such a table is a mistake
    /// Returns what is wrong, without the place. Empty: the entries are passed over.
    std::function<Errors(const ForeignEntry&)> take = {};
};

struct ConfigurationSources {
    std::string preset = {};  ///< empty: named by a file, else by `defaults`, else "default"
    /// TOML, or the result of a run (*.json), which counts with its whole `config`; its `parameters` are the
    /// foreign table. At the top of a file, `generated = true` says that a program wrote it: keys of it that
    /// do nothing are no mistakes.
    std::vector<std::filesystem::path> files = {};
    std::vector<std::string> settings = {};  ///< "key=value"
    /// Options that stand for a setting, by its text; others are those of --set.
    std::map<std::string, std::string> options = {};
    /// TOML of the executable itself, below the user's files. Its `preset` counts if the user names none.
    std::string defaults = {};
    /// The executable sets further keys by itself, so that what does nothing here may act in its runs: keys
    /// that do nothing are no mistakes (platform/idle_keys.h).
    bool varied = false;
    /// Null, or the drive that this one is a variant of: what does nothing and is set there, too, is no
    /// mistake of this one.
    const Configuration* variant_of = nullptr;
    ForeignTable foreign = {};
};

/// Reads, layers and checks. Throws ConfigurationError.
Configuration load_configuration(const ConfigurationSources& sources);

/// As above, from TOML text instead of files; `name` stands for the file in messages.
Configuration parse_configuration(std::string_view toml, std::string_view name,
                                  const std::vector<std::string>& settings = {},
                                  const ForeignTable& foreign = {});

/// `base` with settings that an executable chose, not the user.
Configuration variant_of(const Configuration& base, const std::vector<std::string>& settings);

/// The effective configuration as TOML that parse_configuration() turns into the same configuration.
std::string to_toml(const Configuration& configuration);

/// As to_toml(), but only what differs from the preset if that is enough; otherwise all of it. With
/// `generated` where it has to be.
std::string to_short_toml(const Configuration& configuration);

/// As to_toml(), as nested JSON for result files: durations as in TOML ("50us"), sizes in bytes, and an
/// object `derived` with what follows from the keys (capacities, metadata).
nlohmann::ordered_json to_json(const Configuration& configuration);

/// Every key with type, default, allowed values and meaning: as plain text for a terminal, and as the body of
/// docs/configuration.md.
std::string list_keys_text();
std::string list_keys_markdown();

}  // namespace solidtlm::platform
