// SPDX-License-Identifier: Apache-2.0
//
// The simulated drive as a block device for other programs, over NBD.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <systemc>
#include <utility>

#include "fw/hal/horizon.h"
#include "hw/tlm/time.h"
#include "platform/units.h"
#include "testbench/doors/disk/block_status.h"
#include "testbench/doors/disk/disk_section.h"
#include "testbench/doors/disk/disk_source.h"
#include "testbench/doors/disk/nbd_clients.h"
#include "testbench/doors/disk/recording_log.h"
#include "testbench/programs/cli/command_line.h"
#include "testbench/programs/cli/file_roles.h"
#include "testbench/programs/cli/run_options.h"
#include "testbench/show/summary.h"
#include "testbench/sim/dry_run.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/host_settings.h"
#include "testbench/sim/log.h"
#include "testbench/sim/outputs.h"
#include "testbench/sim/power_cycler.h"
#include "testbench/sim/simulation.h"

namespace {

using namespace solidtlm::testbench;
using solidtlm::hal::ContentMode;
using solidtlm::hal::Ps;
using solidtlm::platform::HostInterface;
namespace fs = std::filesystem;

constexpr const char* kIdleNone = "none";
constexpr const char* kIdleWall = "wall";
constexpr const char* kBoot = "boot";
constexpr const char* kBytesBecause = "clients read back what they wrote";

/// What this executable adds to the common command line.
struct Options {
    std::string command;
    std::string socket;
    std::vector<std::string> nbdkit;
    std::string time = "afap";
    std::string idle = kIdleNone;
    std::string record_requests;
    std::string log_level = "warning";
    disk::Timing timing;
    std::uint64_t writes_to_cut = 0;
    std::string after_cut = "end";
    bool power_may_go = false;  ///< whether power can be cut; valid after check()
    const OptionSet* set = nullptr;

    void add_to(OptionSet& options);
    Errors check_options();
    Errors check(const CommandLine& line);
    void read_idle(Errors& errors);
};

void Options::add_to(OptionSet& options) {
    set = &options;
    options.group("Power cuts");
    options.unset("--power-cut-after-writes", writes_to_cut, kinds::integer(1),
                  "Cut power after this many completed writes of clients");
    options.value("--after-power-cut", after_cut, kinds::one_of({"end", kBoot}),
                  "What follows a cut, which breaks all connections: end, the drive is saved as the cut left "
                  "it; boot, the drive "
                  "boots and clients may connect again. With this option SIGUSR2 cuts the power");
    options.group("Clients");
    options.text("--run", command, "COMMAND",
                 "Shell command that uses the drive, at $uri; without it until Ctrl-C");
    options.text("--socket", socket, "PATH", "Unix socket to listen on; a private one if not given");
    options.texts("--nbdkit", nbdkit, "ARGUMENT",
                  "Further argument of nbdkit, such as --filter=log or logfile=FILE; repeatable");
    options.group("Clients", Role::output);
    options.text("--record", record_requests, "FILE", "Write the requests down, as a trace for tb_replay");
    options.group("Time");
    options.value("--time", time, kinds::one_of({"afap", "paced"}),
                  "afap: runs while commands are outstanding, as fast as possible; paced: as wall time");
    options.value("--think", timing.think, kinds::duration(),
                  "With afap: from a request until the host sends its command");
    options.text("--idle", idle, "none|wall|DURATION", "With afap: what passes when nothing is outstanding")
        ->capture_default_str();
    options.value("--factor", timing.factor, kinds::number_above(0, 1e6),
                  "With paced: simulated seconds per second of wall time");
    options.group("Options");
    add_log_level(options, log_level);
}

/// Reads how much simulated time passes while no command is outstanding.
void Options::read_idle(Errors& errors) {
    if (idle == kIdleWall) {
        timing.idle_mode = disk::IdleMode::wall;
    } else if (idle != kIdleNone) {
        const auto duration = kinds::duration().read(idle);
        if (!duration) {
            errors.push_back("--idle: found " + idle + "; allowed: none, wall, or a duration such as 10ms");
        }
        timing.idle_mode = disk::IdleMode::fixed;
        timing.idle = duration.value_or(Ps{0});
    }
}

Errors Options::check_options() {
    Errors errors;
    if (!record_requests.empty()) {
        check_writable(record_requests, errors);
    }
    timing.mode = time == "paced" ? disk::TimeMode::paced : disk::TimeMode::afap;
    const bool paced = timing.mode == disk::TimeMode::paced;
    const auto refuse = [&](const std::string& option, const char* needed) {
        if (set->given(option)) {
            errors.push_back(option + ": found with --time " + time + "; allowed: with --time " + needed);
        }
    };
    refuse(paced ? "--think" : "--factor", paced ? "afap" : "paced");
    if (paced) {
        refuse("--idle", "afap");
    }
    read_idle(errors);
    return errors;
}

Errors Options::check(const CommandLine& line) {
    const solidtlm::platform::Configuration& configuration = line.configuration;
    Errors errors;
    bool may_go = line.power_cuts.any() || !line.save_state.empty();
    for (const char* option : {"--power-cut-after-writes", "--after-power-cut"}) {
        may_go |= set->given(option);
        if (std::string error = power_cut_error(option, configuration);
            set->given(option) && !error.empty()) {
            errors.push_back(std::move(error));
        }
    }
    if (std::string error = tags_error(line); !error.empty()) {
        errors.push_back(std::move(error));
    }
    require_bytes(configuration, kBytesBecause, errors);
    power_may_go = may_go && power_cut_error("", configuration).empty();
    return errors;
}

disk::NbdSettings nbd_settings(const CommandLine& line, const Options& options, bool zeros_by_trim) {
    disk::NbdSettings settings;
    settings.size_bytes = line.configuration.firmware.exported_sectors * solidtlm::hal::kSectorBytes;
    settings.fast_zero = zeros_by_trim;
    const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
    settings.plugin = prefix / SOLIDTLM_PLUGIN_DIR / "libnbdkit-solidtlm-plugin.so";
    settings.socket = options.socket;
    settings.options = options.nbdkit;
    settings.command = options.command;
    return settings;
}

/// Cuts the drive's power on a signal or after enough writes.
class Outlet : public PowerSwitch {
  public:
    Outlet(disk::DiskSource& source, bool come_back) : source_(source), come_back_(come_back) {}
    void attach(solidtlm::platform::Ssd& /*ssd*/, PowerCycler& cycler) override {
        cycler_ = &cycler;
        cycler.tell(*this);
    }
    void power_cut(CutInstant /*instant*/) override {
        ended_ = !come_back_;
        source_.power_lost(come_back_);
    }
    void pull_plug(Ps after) { cycler_->cut_at(solidtlm::hal::instant_after(solidtlm::hw::now(), after)); }
    /// Power was cut and does not come back.
    [[nodiscard]] bool ended() const { return ended_; }

  private:
    disk::DiskSource& source_;
    const bool come_back_;
    PowerCycler* cycler_ = nullptr;
    bool ended_ = false;
};

/// Writes and prints the results so far.
void show(const CommandLine& line, const Options& options, const disk::DiskSource& source, Json& result) {
    result["disk"] = disk::disk_section(source, options.timing);
    write_outputs(line, line.asked, result);
    if (!line.quiet) {
        std::cout << disk::disk_lines(result["disk"]) << summarize(result, style_for(1)) << std::flush;
    }
}

int serve(const CommandLine& line, const Options& options) {
    if (line.dry_run) {
        end_dry_run(line.configuration, "what clients ask for");
    }
    std::optional<disk::RecordingLog> log;
    if (!options.record_requests.empty()) {
        log.emplace(options.record_requests);
    }
    const bool by_trim = disk::zeros_by_trim(line.configuration);
    disk::NbdClients clients(nbd_settings(line, options, by_trim));
    if (options.command.empty()) {
        std::cout << "uri: " << clients.uri() << std::endl;
    }
    disk::DiskSource source(clients, options.timing,
                            {line.configuration.firmware.exported_sectors, by_trim, options.writes_to_cut},
                            log ? &*log : nullptr);
    Outlet outlet(source, options.after_cut == kBoot);
    std::function<Json()> result_so_far;
    source.set_orders([&](disk::Order order) {
        if (order.kind == disk::Order::Kind::report) {
            Json result = result_so_far();
            show(line, options, source, result);
            return false;
        }
        if (!options.power_may_go) {
            std::cerr << "SIGUSR2 cuts the power with --after-power-cut\n";
            return false;
        }
        outlet.pull_plug(order.after);
        return order.after == Ps{0};
    });
    RunHooks hooks{.scenario = "tb_disk"};  // quiet: the terminal belongs to the command
    hooks.power_switch = options.power_may_go ? &outlet : nullptr;
    hooks.save_at_cut = options.after_cut != kBoot;
    hooks.running = [&result_so_far](std::function<Json()> so_far) { result_so_far = std::move(so_far); };
    hooks.built = [&source](const BuiltDrive& drive) {
        source.set_block_status([drive](std::uint64_t first, std::uint64_t count) {
            return disk::block_status(drive, first, count);
        });
    };
    SimulationOutcome outcome = simulate(line, source, OpenLoop(), hooks);
    if (outlet.ended()) {
        clients.await_command();
    }
    if (!clients.fault().empty()) {
        outcome.faults.push_back(clients.fault());
        outcome.result["faults"] = outcome.faults;
    }
    if (log) {
        log->finish();
    }
    show(line, options, source, outcome.result);
    for (const std::string& fault : outcome.faults) {
        report_error(std::cerr, fault);
    }
    return outcome.faults.empty() ? kExitSuccess : kExitFailure;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    Program program;
    program.name = "tb_disk";
    program.summary =
        "A simulated SATA or NVMe SSD as a block device: any NBD client uses it, in virtual time.";
    program.examples = {
        "--run 'nbdinfo $uri'",
        "--run 'fio --name=a --ioengine=nbd --uri=$uri --rw=randread --bs=4k --size=64m' --out out",
        "--load-state my.drive --save-state my.drive --run 'nbdcopy --flush disk.img $uri'",
        "--run 'qemu-img convert -n -O raw disk.qcow2 $uri' --set nand.geometry.channels=4",
        "--socket /tmp/drive --time paced --nbdkit --filter=log --nbdkit logfile=/tmp/drive.log",
    };
    program.configuration_defaults = "content = \"bytes\"\n";
    Options options;
    program.one_run = true;
    program.add_options = [&options](OptionSet& set) { options.add_to(set); };
    program.name_files = [&options](FileRoles& files) { files.writes("--record", options.record_requests); };
    program.unused = {{kRequestOptions, "requests come from clients"},
                      {{"--content"}, kBytesBecause},
                      {{"--jobs"}, "there is one run"},
                      {kSavedResultOptions, "no two runs of clients are the same"}};
    program.check_options = [&options](const CommandLine& /*line*/) { return options.check_options(); };
    program.check = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging(options.log_level);
        return serve(line, options);
    });
}
