// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "platform/units.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/sim/load/spec_items.h"
#include "testbench/sim/request_source.h"

namespace solidtlm::testbench {
namespace {

namespace kinds = platform::kinds;
using platform::Key;

constexpr std::uint64_t kMostRequests = 1'000'000;
constexpr std::uint32_t kMostSectors = 65'536;
constexpr std::uint32_t kMostRanges = 70;  // more ranges than one 512-byte block holds

/// Reads items of a case, one per line, unlike those of a command line.
template <class Keys, class Target>
void read_list(std::string_view list, const std::vector<std::string>& texts, std::size_t first,
               const Keys& keys, Target& target) {
    std::vector<SpecItem> items;
    for (std::size_t i = first; i < texts.size(); ++i) {
        const std::string_view text = texts[i];
        const std::size_t equals = text.find('=');
        items.push_back(equals == std::string_view::npos
                            ? SpecItem{text, {}, {}}
                            : SpecItem{text, text.substr(0, equals), text.substr(equals + 1)});
    }
    Errors errors;
    read_items(items, keys, target, errors, list, [](const auto& /*key*/) { return true; });
    throw_spec_errors(list, errors);
}

constexpr std::uint64_t kReadBackSectors = 256;  ///< most sectors per request
constexpr std::uint64_t kWholeSectors =
    (48U << 20U) / hal::kSectorBytes;  ///< largest drive that `mix` fills and that is read back as a whole

/// Sends the requests of another source, some of them as non-queued commands, some beyond the end of the
/// device. At the end it reads the drive back once: all of it or, on a large drive, only what was changed.
class RoughSource : public RequestSource {
  public:
    RoughSource(std::unique_ptr<RequestSource> source, const PreparedCase& prepared, SentRequests& sent)
        : source_(std::move(source)),
          load_(prepared.load),
          sectors_(prepared.run.configuration.firmware.exported_sectors),
          random_(prepared.load.seed),
          reads_at_end_(prepared.reads_back),
          sent_(sent) {}

    bool next(Request& request) override {
        if (!source_->next(request)) {
            // a source with feedback may have more requests later
            return reads_at_end_ && source_->feedback() == nullptr && read_back(request);
        }
        pause(request);
        last_arrival_ = request.arrival;
        if (request.operation == Operation::flush) {
            ++sent_.flushes;
            return true;
        }
        if (chance(load_.unqueued)) {
            request.queued = false;
        }
        if (chance(load_.beyond)) {
            send_beyond(request);
        }
        rewrite(request);
        note(request);
        ++(request.operation == Operation::read    ? sent_.reads
           : request.operation == Operation::write ? sent_.writes
                                                   : sent_.trims);
        sent_.fua += request.fua ? 1 : 0;
        sent_.unqueued += request.queued ? 0 : 1;
        return true;
    }
    [[nodiscard]] SourceFeedback* feedback() override { return source_->feedback(); }

  private:
    /// A range of sectors.
    struct Extent {
        std::uint64_t begin;
        std::uint64_t end;
    };

    /// Notes the request's changes, to read them back later, and counts its size class.
    void note(const Request& request) {
        if (request.operation == Operation::trim) {
            for (const TrimRange& range : request.ranges) {
                changed_.push_back({range.lba.value, range.lba.value + range.sectors});
            }
            return;
        }
        const auto size_class = std::ranges::find_if(
            kSizeClasses, [&](const SizeClass& each) { return request.sectors <= each.most_sectors; });
        ++sent_.sizes.at(static_cast<std::size_t>(size_class - kSizeClasses.begin()));
        if (request.operation == Operation::write) {
            changed_.push_back({request.lba.value, request.lba.value + request.sectors});
        }
    }
    /// Prepares the reading back, so that each sector is read once.
    void begin_read_back() {
        reads_back_ = true;
        if (sectors_ <= kWholeSectors) {
            changed_.assign(1, {0, sectors_});
            return;
        }
        std::ranges::sort(changed_, {}, &Extent::begin);
        std::vector<Extent> apart;
        for (Extent each : changed_) {
            each.begin = std::max(each.begin, apart.empty() ? 0 : apart.back().end);
            each.end = std::min(each.end, sectors_);
            if (each.begin < each.end) {
                apart.push_back(each);
            }
        }
        changed_ = std::move(apart);
    }
    bool read_back(Request& request) {
        if (!reads_back_) {
            begin_read_back();
        }
        if (next_back_ == changed_.size()) {
            return false;
        }
        Extent& extent = changed_[next_back_];
        request.clear();
        request.arrival = last_arrival_;
        request.lba = Lba{extent.begin};
        request.sectors = std::min(kReadBackSectors, extent.end - extent.begin);
        extent.begin += request.sectors;
        next_back_ += extent.begin == extent.end ? 1 : 0;
        ++sent_.reads;
        return true;
    }
    [[nodiscard]] bool chance(double share) {
        constexpr double kResolution = 1e6;
        return share > 0 && static_cast<double>(random_() % 1'000'000) < share * kResolution;
    }
    /// Pauses of each power of two are equally likely.
    void pause(Request& request) {
        constexpr std::int64_t kShortestPs = 1'000'000;  // 1 us
        constexpr unsigned kOctaves = 14;                // up to 16 ms
        constexpr hal::Ps kMostInAll{250'000'000'000};   // 250 ms in total, because a patrol never rests
        if (source_->feedback() != nullptr) {
            return;
        }
        if (chance(load_.pauses) && paused_ < kMostInAll) {
            paused_ += hal::Ps{kShortestPs << random_() % (kOctaves + 1)};
        }
        request.arrival += paused_;
    }
    /// Gives a write known contents, to send it once more later; or sends an earlier one in its place. What
    /// was changed meanwhile changes back.
    void rewrite(Request& request) {
        constexpr std::size_t kRemembered = 64;  // writes
        constexpr std::uint64_t kBlockSectors = 8;
        if (load_.rewrites == 0 || request.operation != Operation::write || source_->feedback() != nullptr ||
            request.lba.value + request.sectors > sectors_) {
            return;
        }
        if (!written_.empty() && chance(load_.rewrites)) {
            const Written& earlier = written_[random_() % written_.size()];
            request.lba = earlier.lba;
            request.sectors = earlier.sectors;
            request.content = earlier.content;
            request.content_layout = earlier.layout;
            return;
        }
        if (request.content.empty()) {
            std::ranges::generate_n(
                std::back_inserter(request.content),
                static_cast<std::ptrdiff_t>((request.sectors + kBlockSectors - 1) / kBlockSectors),
                [this] { return random_(); });
        }
        Written& place =
            written_.size() < kRemembered ? written_.emplace_back() : written_[random_() % kRemembered];
        place = {request.lba, request.sectors, request.content, request.content_layout};
    }
    /// Moves the request so that its last sector is the first one beyond the device, or so that it lies
    /// beyond the device as a whole.
    void send_beyond(Request& request) {
        ++sent_.beyond;
        if (request.operation == Operation::trim) {
            request.ranges.push_back({Lba{sectors_}, 1});
            return;
        }
        request.sectors = std::min<std::uint64_t>(request.sectors, load_.max_sectors);  // fits in one command
        const std::uint64_t back = random_() % 2 == 0 ? request.sectors - 1 : 0;
        request.lba = Lba{sectors_ - std::min(back, sectors_)};
        request.sectors = std::max<std::uint64_t>(request.sectors, sectors_ - request.lba.value + 1);
    }

    /// A write that may be sent once more.
    struct Written {
        Lba lba;
        std::uint64_t sectors = 0;
        std::vector<std::uint64_t> content;
        ContentLayout layout;
    };

    std::unique_ptr<RequestSource> source_;
    const Load load_;
    const std::uint64_t sectors_;
    std::mt19937_64 random_;
    const bool reads_at_end_;
    SentRequests& sent_;
    hal::Ps last_arrival_{0};
    hal::Ps paused_{0};  // total so far
    std::vector<Written> written_;
    std::vector<Extent> changed_;  // later, the sectors to read back, in order
    bool reads_back_ = false;
    std::size_t next_back_ = 0;  // index into changed_
};

/// Reads "at 3ms" or "every 3ms". False: the text is neither.
bool read_timed_cut(std::string_view text, PowerCuts& cuts) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    const auto time = platform::parse_duration(text.substr(std::min(space + 1, text.size())));
    if (!time || *time <= Ps{0} || (word != "at" && (word != "every" || cuts.every > Ps{0}))) {
        return false;
    }
    if (word == "at") {
        cuts.at.push_back(*time);
    } else {
        cuts.every = *time;
    }
    return true;
}

void read_cuts(const std::vector<std::string>& texts, PreparedCase& prepared) {
    for (const std::string& text : texts) {
        if (const auto cut = parse_event_cut(text)) {
            prepared.cuts.push_back(*cut);
        } else if (!read_timed_cut(text, prepared.run.power_cuts)) {
            throw InputError(fmt::format(
                "cuts: found \"{}\"; allowed: a kind of event, how many go by first, and -1ps or "
                "+1ps, such as \"erase 3 -1ps\", or \"time 350us\"; kinds: {}; or \"at 3ms\", and "
                "once \"every 3ms\"",
                text, fmt::join(kEventKindNames, ", ")));
        }
    }
    std::ranges::sort(prepared.run.power_cuts.at);
    if (!prepared.cuts.empty() && prepared.run.power_cuts.any()) {
        throw InputError(
            "cuts: found some at events, which a probe sees, and others with \"at\" or \"every\"; allowed: "
            "one or the other");
    }
    const platform::Configuration& configuration = prepared.run.configuration;
    if (prepared.cuts_power() && configuration.firmware.by_block()) {
        throw InputError(
            "cuts: found with a block-mapped firmware.translation; allowed: page_map, the others do not find "
            "their state on flash again");
    }
}

constexpr std::string_view kTimed = " timed";

void read_sessions(const std::vector<std::string>& texts, PreparedCase& prepared) {
    static const platform::Names names{"sleep", "clean", "cut"};  // in the order of Shutdown
    for (const std::string& text : texts) {
        const bool timed = text.ends_with(kTimed);
        const auto name = std::ranges::find(names, text.substr(0, text.size() - (timed ? kTimed.size() : 0)));
        if (name == names.end()) {
            throw InputError(
                fmt::format("sessions: found \"{}\"; allowed: {}, and \"{}\" if the next session "
                            "begins with a boot that takes its time",
                            text, fmt::join(names, ", "), kTimed.substr(1)));
        }
        prepared.sessions.push_back({static_cast<Shutdown>(name - names.begin()), timed});
    }
    const Load& load = prepared.load;
    const platform::Configuration& configuration = prepared.run.configuration;
    const bool sound = !media_may_fail(configuration.nand);
    if (!texts.empty() && (!sound || load.compare || load.questions > 0 || load.uncorrectable > 0 ||
                           prepared.by_disk_client() || fs::is_fs_workload(prepared.run.workload))) {
        throw InputError(
            "sessions: found with flash that fails, compare, questions, uncorrectable, client=disk or a "
            "benchmark on a file system; allowed: none of these");
    }
    const bool only_sleep =
        configuration.firmware.by_block() || configuration.host.interface == platform::HostInterface::ahci;
    if (only_sleep && !std::ranges::all_of(prepared.sessions, &SessionEnd::keeps_firmware)) {
        throw InputError(
            "sessions: found other ends than sleep with a block-mapped firmware.translation or an adapter; "
            "allowed: sleep, without a boot");
    }
}

/// A client of tb_disk stores bytes and controls neither an adapter nor tags nor other commands of the host.
void check_client(const PreparedCase& prepared) {
    const Load& load = prepared.load;
    const platform::Configuration& configuration = prepared.run.configuration;
    if (prepared.by_disk_client() &&
        (configuration.content != hal::ContentMode::bytes || load.unqueued > 0 || load.beyond > 0 ||
         load.pauses > 0 || fs::is_fs_workload(prepared.run.workload))) {
        throw InputError(
            "load: found client=disk with another content than bytes, with unqueued, beyond or pauses, or "
            "with "
            "a benchmark on a file system; allowed: none of these");
    }
}

/// Interjections are ATA commands, so other interfaces refuse them.
void check_interjections(const PreparedCase& prepared) {
    if (prepared.run.configuration.has_nvme() &&
        (prepared.load.questions > 0 || prepared.load.uncorrectable > 0)) {
        throw InputError(
            "load: found questions or uncorrectable with host.interface = \"nvme\"; allowed: with a SATA "
            "drive");
    }
}

bool is_mix(const TortureCase& torture) {
    return torture.workload.empty() || torture.workload.front() == kMix;
}

}  // namespace

bool media_may_fail(const hw::NandConfig& nand) {
    return nand.rules.endurance_cycles > 0 || nand.faults.any();
}

const std::vector<Key<Load>>& load_keys() {
    static const std::vector<Key<Load>> keys{
        {"requests", SOLIDTLM_FIELD(requests), kinds::integer(1, kMostRequests), "requests at most"},
        {"queue_depth", SOLIDTLM_FIELD(queue_depth), kinds::integer(1, 32), "commands outstanding at most"},
        {"max_sectors", SOLIDTLM_FIELD(max_sectors), kinds::integer(1, kMostSectors),
         "sectors of a command at most"},
        {"unqueued", SOLIDTLM_FIELD(unqueued), kinds::share(), "reads, writes and trims without a tag"},
        {"beyond", SOLIDTLM_FIELD(beyond), kinds::share(), "requests beyond the capacity"},
        {"client", SOLIDTLM_FIELD(client), kinds::one_of({"host", "disk"}),
         "who sends requests: the host itself, or a client of tb_disk"},
        {"write_cache", SOLIDTLM_FIELD(write_cache), kinds::one_of({"as_it_is", "on", "off"}),
         "SET FEATURES at the start"},
        {"error_log_by_dma", SOLIDTLM_FIELD(error_log_by_dma), kinds::boolean(),
         "READ LOG DMA EXT after an error of a queued command"},
        {"questions", SOLIDTLM_FIELD(questions), kinds::share(),
         "commands followed by SMART, READ LOG or a power mode"},
        {"uncorrectable", SOLIDTLM_FIELD(uncorrectable), kinds::share(),
         "writes and trims followed by WRITE UNCORRECTABLE EXT"},
        {"pauses", SOLIDTLM_FIELD(pauses), kinds::share(),
         "requests before which the host is idle, for up to 16 ms"},
        {"rewrites", SOLIDTLM_FIELD(rewrites), kinds::share(),
         "writes that repeat an earlier one with its contents"},
        {"compare", SOLIDTLM_FIELD(compare), kinds::boolean(),
         "with the results of run_ahead=0s and check_protocol=true"},
        {"check_protocol", SOLIDTLM_FIELD(check_protocol), kinds::boolean(),
         "on every TLM socket, so that payloads take the place of calls"},
        {"power_off", SOLIDTLM_FIELD(power_off), kinds::duration(hal::Ps{1}), "without power after a cut"},
        {"seed", SOLIDTLM_FIELD(seed), kinds::integer(), "of all shares and the mix"},
    };
    return keys;
}

const std::vector<Key<Mix>>& mix_keys() {
    static const std::vector<Key<Mix>> keys{
        {"reads", SOLIDTLM_FIELD(shares.reads), kinds::integer(0, 100), "parts of the requests"},
        {"writes", SOLIDTLM_FIELD(shares.writes), kinds::integer(1, 100), "parts of the requests"},
        {"trims", SOLIDTLM_FIELD(shares.trims), kinds::integer(0, 100), "parts of the requests"},
        {"flushes", SOLIDTLM_FIELD(shares.flushes), kinds::integer(0, 100), "parts of the requests"},
        {"sectors", SOLIDTLM_FIELD(shares.max_sectors), kinds::integer(1, kMostSectors),
         "sectors of a request at most"},
        {"ranges", SOLIDTLM_FIELD(shares.most_ranges), kinds::integer(1, kMostRanges), "of a trim at most"},
        {"range_sectors", SOLIDTLM_FIELD(shares.range_sectors), kinds::integer(2, kMostSectors),
         "a range of a trim is shorter than that"},
        {"fill", SOLIDTLM_FIELD(shares.fill), kinds::boolean(),
         "write the whole device first, if it has 48 MiB at most"},
        {"units", SOLIDTLM_FIELD(shares.whole_units), kinds::boolean(), "in units of 4 KiB"},
        {"repetitive", SOLIDTLM_FIELD(repetitive), kinds::boolean(), "half of the blocks have few contents"},
    };
    return keys;
}

platform::Configuration configuration_of(const std::string& preset,
                                         const std::vector<std::string>& settings) {
    platform::ConfigurationSources sources;
    sources.preset = preset;
    sources.settings = settings;
    sources.varied = true;  // settings were drawn
    return platform::load_configuration(sources);
}

PreparedCase prepare(const TortureCase& torture) {
    PreparedCase prepared;
    RunSpec& run = prepared.run;
    run.configuration = configuration_of(torture.preset, torture.settings);
    read_list("load", torture.load, 0, load_keys(), prepared.load);
    run.queue_depth = prepared.load.queue_depth;
    if (is_mix(torture)) {
        prepared.mix.emplace();
        read_list("workload", torture.workload, torture.workload.empty() ? 0 : 1, mix_keys(), *prepared.mix);
    } else {
        run.workload = join_items(torture.workload);
        run.limit = fs::is_fs_workload(run.workload) ? 0 : prepared.load.requests;
        (void)make_request_source(run);
    }
    if (!torture.precondition.empty()) {
        run.precondition = parse_preconditioning(join_items(torture.precondition));
    }
    run.power_cuts.off = prepared.load.power_off;
    read_cuts(torture.cuts, prepared);
    check_client(prepared);
    check_interjections(prepared);
    read_sessions(torture.sessions, prepared);
    return prepared;
}

std::unique_ptr<RequestSource> make_source(const PreparedCase& prepared, SentRequests& sent) {
    std::unique_ptr<RequestSource> source;
    if (prepared.mix) {
        const std::uint64_t sectors = prepared.run.configuration.firmware.exported_sectors;
        RandomMix::Shares shares = prepared.mix->shares;
        shares.requests = prepared.load.requests;
        shares.max_sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(shares.max_sectors, sectors));
        shares.whole_units = shares.whole_units && sectors >= 8;
        shares.fill = shares.fill && sectors <= kWholeSectors;
        const std::uint64_t seed = prepared.load.seed;
        source = prepared.mix->repetitive
                     ? std::unique_ptr<RequestSource>(std::make_unique<RepetitiveMix>(seed, sectors, shares))
                     : std::make_unique<RandomMix>(seed, sectors, shares);
    } else {
        source = make_request_source(prepared.run);
    }
    return std::make_unique<RoughSource>(std::move(source), prepared, sent);
}

}  // namespace solidtlm::testbench
