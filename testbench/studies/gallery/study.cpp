// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "testbench/studies/gallery/gallery.h"

namespace solidtlm::testbench::gallery {
namespace {

class GalleryStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override {
        return {{}, figures_of(points, drives_), tables(points, drives_, details_ || !names_.empty(), style)};
    }

  private:
    std::vector<std::string> names_;
    Choice choice_;
    bool details_ = false;
    std::vector<Drive> drives_;
};

Program GalleryStudy::program(std::span<char* const> /*arguments*/) const {
    Program program;
    program.name = "tb_gallery";
    program.summary =
        "Runs models of real SATA drives as they were measured, and prints published figures beside the "
        "model's.";
    program.examples = {
        "--age-cache ~/.cache/solidtlm --out out",
        "samsung-pm883 intel-s4610",
        "samsung-860-pro --only samsung-860-pro/ibm-m1015/random-read --without host_time",
        "samsung-pm883 --guesses",
    };
    program.notes = fmt::format(
        "DRIVE is one of {}; or a folder, with a / in its name. All of the first kind if none is given.\n"
        "docs/real-drives.md explains the tables, and how a drive is added.",
        fmt::join(drive_names(), ", "));
    program.unused = {no_requests(program.name),
                      {{"--queue-depth"}, "each test says how deep its queue is"},
                      {kAgeingOptions, "each test says how its drive was aged"},
                      {{"--preset", "--config", "--host"}, "each drive has its own; give --set"}};
    return program;
}

void GalleryStudy::add_options(OptionSet& options) {
    options.text("DRIVE", names_, "DRIVE",
                 "Drives, or folders of drives; all that are built in if not given");
    options.texts("--only", choice_.only, "PATTERN",
                  "Tests to run, DRIVE/CAMPAIGN/TEST/DEPTH or the first parts of it; * for any; repeatable");
    options.list("--without", choice_.changes.without, kinds::one_of(all_mechanisms()),
                 "Mechanisms of the model that are left out");
    options.text("--age-cache", choice_.age_cache, "DIR",
                 "Keep aged drives there, and take them from there; changes no result");
    options.value("--age-cache-size", choice_.age_cache_bytes, kinds::size(),
                  "Most space for aged drives; those used least recently are deleted");
    options.flag("--guesses", choice_.guesses,
                 "Also with every other value of what is guessed, one at a time");
    options.flag("--details", details_, "Every figure, also where no drive is named");
}

void GalleryStudy::check(const CommandLine& line, Errors& errors) {
    for (const std::string& name : names_.empty() ? drive_names() : names_) {
        try {
            drives_.push_back(read_drive(name));
        } catch (const InputError& error) {
            errors.emplace_back(error.what());
        }
    }
    choice_.changes.settings = line.sources.settings;
}

StudyPlan GalleryStudy::plan(const CommandLine& line) {
    StudyPlan plan;
    plan.jobs = jobs_of(drives_, choice_);
    if (plan.jobs.empty()) {
        throw InputError(
            fmt::format("--only: found {}, which no test matches; allowed: DRIVE/CAMPAIGN/TEST/DEPTH",
                        fmt::join(choice_.only, ", ")));
    }
    plan.opening = usual_opening(plan.jobs, line);
    return plan;
}

}  // namespace
}  // namespace solidtlm::testbench::gallery

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<gallery::GalleryStudy>();
}
