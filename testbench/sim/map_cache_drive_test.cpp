// SPDX-License-Identifier: Apache-2.0
//
// The whole drive with a map that does not fit into DRAM: verified, with reconciled counters, and with the
// penalty of a miss on an idle drive against its closed form (Lee et al. 2013, equations 1 to 4).
#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

#include <tuple>

namespace solidtlm::testbench {
namespace {

using Pointer = Json::json_pointer;

constexpr const char* kPolicies[] = {"full_page", "half_page", "tafp", "dftl",
                                     "bsb",       "sftl",      "cftl", "tpftl"};

void expect_sound_reads(const Json& result) {
    EXPECT_EQ(result.at(Pointer("/verify/mismatches")), 0);
    EXPECT_GT(result.at(Pointer("/verify/reads_checked")), 0);
    EXPECT_EQ(result.at(Pointer("/ledger/residual_ns")), 0);
    EXPECT_EQ(result.at(Pointer("/host/failed")), 0);
    EXPECT_TRUE(result.at(Pointer("/nand/violations")).empty());
}

/// The array's operations for the map equal the cache's counters to the page.
void expect_reconciled(const Json& result) {
    const Json& flash = result.at(Pointer("/map_cache/flash"));
    const Json& array = result.at(Pointer("/nand/by_cause/map"));
    const auto sum = [&flash](std::initializer_list<const char*> names) {
        std::uint64_t total = 0;
        for (const char* name : names) {
            total += flash.at(name).get<std::uint64_t>();
        }
        return total;
    };
    EXPECT_EQ(array.at("reads"), sum({"miss_reads", "merge_reads", "gc_reads", "copy_reads"}));
    EXPECT_EQ(array.at("programs"), sum({"write_backs", "gc_programs", "copies"}));
    EXPECT_EQ(array.at("erases"), sum({"erases"}));
}

/// The parts of a miss add up to its time, and all misses add up to the measured penalty.
void expect_misses_explained(const Json& cache) {
    double read = 0.0;
    double write_back = 0.0;
    std::uint64_t misses = 0;
    for (const char* kind : {"translating", "updating"}) {
        const Json& section = cache.at("miss_us").at(kind);
        const auto count = section.at("misses").get<std::uint64_t>();
        misses += count;
        for (const char* what : {"read", "write_back"}) {
            double parts = 0.0;
            for (const auto& [part, time] : section.at(what).items()) {
                EXPECT_GE(time, 0.0) << kind << " " << what << " " << part;
                parts += part == "total" ? 0.0 : time.get<double>();
            }
            EXPECT_NEAR(parts, section.at(what).at("total"), 1e-6) << kind << " " << what;
        }
        read += static_cast<double>(count) * section.at("read").at("total").get<double>();
        write_back += static_cast<double>(count) * section.at("write_back").at("total").get<double>();
    }
    EXPECT_EQ(misses, cache.at("misses"));
    const Json& measured = cache.at(Pointer("/penalty_us/measured"));
    const double lookups = cache.at("lookups");
    EXPECT_NEAR(read / lookups, measured.at("rm"), 1e-6);
    EXPECT_NEAR(write_back / lookups, measured.at("pf").get<double>() + measured.at("rf").get<double>(),
                1e-6);
}

class MapCacheDrive : public ::testing::TestWithParam<const char*> {};

TEST_P(MapCacheDrive, VerifiesARandomMixWithGarbageCollection) {
    const platform::Configuration configuration = preset(
        "tiny", {"firmware.map_cache.policy=" + std::string(GetParam()), "firmware.map_cache.size=3KiB",
                 "firmware.map_cache.translation_page=1KiB", "ssd.over_provisioning=0.45"});
    RandomMix::Shares shares;
    shares.requests = 3000;
    RandomMix mix(7, configuration.firmware.exported_sectors, shares);
    const Json result = run_closed(configuration, mix);
    expect_sound_reads(result);
    expect_reconciled(result);
    expect_misses_explained(result.at("map_cache"));
    EXPECT_GT(result.at(Pointer("/firmware/gc.erased_superblocks")), 0);
    EXPECT_GT(result.at(Pointer("/map_cache/evictions_dirty")), 0);
    EXPECT_GT(result.at(Pointer("/map_cache/gc_entries/uncached")), 0);
    EXPECT_GT(result.at(Pointer("/map_cache/flash/erases")), 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, MapCacheDrive, ::testing::ValuesIn(kPolicies),
                         [](const auto& test) { return std::string(test.param); });

/// The NAND of the study: 4 KiB pages, tR 200 us, tPROG 1.6 ms, 25 ns per byte, no ECC.
platform::Configuration study(const std::string& policy, std::vector<std::string> more) {
    std::vector<std::string> settings{"nand.geometry.channels=1",
                                      "nand.geometry.dies=1",
                                      "nand.geometry.dies_per_way=1",
                                      "nand.geometry.planes=1",
                                      "nand.geometry.blocks=16",
                                      "nand.geometry.pages=1024",  // so nothing is collected
                                      "firmware.gc.background_threshold=2",
                                      "nand.timing.read=200us",
                                      "nand.timing.program=1600us",
                                      "ssd.capacity=16MiB",
                                      "firmware.write_buffer.size=256KiB",
                                      "firmware.write_buffer.policy=write_through",
                                      "firmware.map_cache.policy=" + policy};
    settings.insert(settings.end(), more.begin(), more.end());
    return preset("agrawal", settings);
}

/// The counters of a cache of `size` for reads from a drive that was aged like this.
SimulationOutcome read_aged(const std::string& size, const std::string& precondition) {
    RunSpec settings = run_of(study("dftl", {"firmware.map_cache.size=" + size}), 4);
    settings.precondition = parse_preconditioning(precondition);
    RandomMix::Shares reads;
    reads.requests = 500;
    reads.writes = reads.trims = reads.flushes = 0;
    reads.fill = false;
    RandomMix source(3, settings.configuration.firmware.exported_sectors, reads);
    return simulate(settings, source, ClosedLoop(4));
}

/// After two passes of reads during ageing, no entry of the cache needs to be written back; if the cache
/// holds the whole map, one pass is enough to avoid all misses.
TEST(MapCacheAgeing, ReadsLeaveTheCacheWarmAndClean) {
    const std::vector<PointJob> jobs{
        {"written", [] { return read_aged("8KiB", "fill=1,random=1"); }},
        {"read", [] { return read_aged("8KiB", "fill=1,random=1,read=2"); }},
        {"whole", [] { return read_aged("128KiB", "fill=1,random=1,read=1"); }},
    };
    std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (const PointOutcome& outcome : outcomes) {
        ASSERT_EQ(outcome.outcome.faults, std::vector<std::string>());
    }
    const auto cache = [&outcomes](std::size_t i) { return outcomes[i].outcome.result.at("map_cache"); };
    EXPECT_GT(cache(0).at("evictions_dirty"), 0);
    EXPECT_EQ(cache(1).at("evictions_dirty"), 0);
    EXPECT_GT(cache(1).at("misses"), 0);
    EXPECT_EQ(cache(2).at("misses"), 0);
}

struct Shape {
    const char* policy;
    const char* window;
    const char* size;
    double rm;  ///< T_rm of a miss, us
    double rf;  ///< T_rf of a dirty eviction, us
};

void PrintTo(const Shape& shape, std::ostream* out) {
    *out << shape.policy << ", window " << shape.window;
}

/// Requests one page at a time, each from the next of four translation pages, one more than the cache holds.
class Rotation : public RequestSource {
  public:
    static constexpr std::uint64_t kRequests = 100;
    explicit Rotation(bool writes) : writes_(writes) {}
    bool next(Request& request) override {
        request.clear();
        request.operation = writes_ ? Operation::write : Operation::read;
        request.lba = Lba{(done_ % 4 * 1024 + done_ / 4 * 32) * 8};
        request.sectors = 8;
        return done_++ < kRequests;
    }

  private:
    bool writes_;
    std::uint64_t done_ = 0;
};

class IdlePenalty : public ::testing::TestWithParam<std::tuple<Shape, bool>> {};

/// The drive was filled before; every page request misses, and every write finds a dirty cache. The closed
/// form counts whole sectors, because the drive moves at least 512 bytes.
TEST_P(IdlePenalty, IsTheClosedForm) {
    const auto& [shape, writes] = GetParam();
    RunSpec settings;
    settings.configuration =
        study(shape.policy, {"firmware.map_cache.size=" + std::string(shape.size),
                             "firmware.map_cache.tafp_bytes=" + std::string(shape.window)});
    settings.queue_depth = 1;
    settings.precondition = parse_preconditioning("fill=1,random=0");
    Rotation source(writes);
    const SimulationOutcome outcome = simulate(settings, source, ClosedLoop(1));
    ASSERT_TRUE(outcome.faults.empty()) << outcome.faults.front();
    const Json& cache = outcome.result.at("map_cache");
    const auto requests = static_cast<double>(Rotation::kRequests);
    EXPECT_EQ(cache.at("lookups"), Rotation::kRequests);
    EXPECT_EQ(cache.at("hits"), 0);
    const Json& closed = cache.at(Pointer("/penalty_us/closed_form"));
    const Json& measured = cache.at(Pointer("/penalty_us/measured"));
    EXPECT_NEAR(closed.at("rm").get<double>(), shape.rm, 1e-6);
    for (const char* part : {"rm", "pf", "rf", "total"}) {
        const double expected = closed.at(part).get<double>();
        // Without writes, only the few cycles for evicting a clean victim remain.
        EXPECT_NEAR(measured.at(part).get<double>(), expected, std::max(expected * 0.01, 0.5)) << part;
    }
    expect_misses_explained(cache);
    const Json& miss = cache.at("miss_us").at(writes ? "updating" : "translating");
    EXPECT_EQ(miss.at("misses"), Rotation::kRequests);
    EXPECT_NEAR(miss.at(Pointer("/read/array")), 200.0, 1e-6) << "tR";
    EXPECT_LT(miss.at(Pointer("/read/queue")), 0.5) << "no miss waits for another";
    const double dirty = cache.at("evictions_dirty").get<double>() / requests;
    EXPECT_GT(dirty, writes ? 0.9 : -1.0);
    EXPECT_NEAR(closed.at("pf").get<double>(), dirty * 1702.4, 1e-6);
    EXPECT_NEAR(closed.at("rf").get<double>(), dirty * shape.rf, 1e-6);
}

std::string penalty_name(const ::testing::TestParamInfo<IdlePenalty::ParamType>& test) {
    const Shape& shape = std::get<0>(test.param);
    return std::string(shape.policy) + "_" + shape.window + (std::get<1>(test.param) ? "_writes" : "_reads");
}

INSTANTIATE_TEST_SUITE_P(Policies, IdlePenalty,
                         ::testing::Combine(::testing::Values(Shape{"full_page", "64", "8300", 302.4, 0.0},
                                                              Shape{"half_page", "64", "4200", 251.2, 251.2},
                                                              Shape{"tafp", "64", "160", 212.8, 302.4},
                                                              Shape{"tafp", "8", "66", 212.8, 302.4}),
                                            ::testing::Bool()),
                         penalty_name);

}  // namespace
}  // namespace solidtlm::testbench
