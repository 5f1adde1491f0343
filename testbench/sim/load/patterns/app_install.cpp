// SPDX-License-Identifier: Apache-2.0
//
// Application install: versions of `streams` applications are installed one after another, each file by file
// from beginning to end.
//
// The size of a version lets all applications and two more versions fit into the range. Its space consists of
// extents of 512 KiB taken at random from the free ones, as in a file system that has been in use. When a
// version is complete, the previous one is removed and its extents become free (there is no TRIM). A file of
// the new version is a copy of its counterpart in the previous version, or new; without a counterpart, it is
// a copy of any installed file or new. So every duplicate repeats something that an installed version holds,
// and duplicates come in runs of whole files. Reads are those of installed files, each from its beginning.
#include <algorithm>
#include <utility>

#include "fw/hal/check.h"
#include "testbench/sim/load/duplicate_share.h"
#include "testbench/sim/load/size_picker.h"
#include "testbench/sim/load/study_models.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kExtentSectors = 128 * kSectorsPerPage;
/// Length of an extent in 4 KiB blocks, and thus of the longest request.
constexpr std::uint64_t kExtentBlocks = kExtentSectors / kSectorsPerPage;

class AppInstallModel final : public StudyModel {
  public:
    explicit AppInstallModel(const WorkloadConfig& config)
        : config_(config),
          sizes_(config.sizes),
          share_(config.contents.duplicates, 1),
          applications_(config.streams) {
        const std::uint64_t extents = (config.end_sector - config.first_sector) / kExtentSectors;
        version_extents_ = extents / (config.streams + 2);
        for (std::uint64_t i = 0; i < extents; ++i) {
            free_.push_back(i);
        }
    }

    void draw(Request& request, Random& random) override {
        request.operation = draw_operation(config_.read_share, random);
        if (request.operation == Operation::read && !building_.files.empty()) {
            read(request, random);
        } else {
            write(request, random);
        }
    }

  private:
    struct File {
        std::uint64_t content = 0;  ///< identity of the first block; those of the others follow
        std::uint64_t blocks = 0;
        std::uint64_t at = 0;  ///< position of the first block in the version
    };
    struct Version {
        std::vector<File> files;
        std::vector<std::uint64_t> extents;
        std::uint64_t blocks = 0;  ///< total of all files
    };

    void read(Request& request, Random& random) {
        const Version& version = any_version(random);
        const File& file = version.files[random.below(version.files.size())];
        set(request, version, file.at, file.blocks);
    }

    void write(Request& request, Random& random) {
        request.operation = Operation::write;
        if (left_ == 0) {
            begin_file(random);
        }
        const File& file = building_.files.back();
        const std::uint64_t done = file.blocks - left_;
        const std::uint64_t blocks = set(request, building_, file.at + done, left_);
        for (std::uint64_t i = 0; i < blocks; ++i) {
            request.content.push_back(file.content + done + i);
        }
        left_ -= blocks;
    }

    /// Sets a request for the blocks of a version from `at` on, up to the end of the extent. Returns the
    /// number of blocks.
    std::uint64_t set(Request& request, const Version& version, std::uint64_t at,
                      std::uint64_t blocks) const {
        const std::uint64_t within = at % kExtentBlocks;
        const std::uint64_t length = std::min(blocks, kExtentBlocks - within);
        request.lba = Lba{config_.first_sector +
                          (version.extents[at / kExtentBlocks] * kExtentBlocks + within) * kSectorsPerPage};
        request.sectors = length * kSectorsPerPage;
        return length;
    }

    void begin_file(Random& random) {
        const std::uint64_t room = version_extents_ * kExtentBlocks;
        if (building_.blocks == room) {
            finish_version();
        }
        if (building_.files.empty()) {
            application_ = random.below(applications_.size());
        }
        const bool copied = !nothing_installed() && random.chance(share_.chance());
        File file = copied ? counterpart(random) : File{next_identity_, sizes_(random) / kSectorsPerPage, 0};
        file.blocks = std::min(file.blocks, room - building_.blocks);
        file.at = building_.blocks;
        next_identity_ += copied ? 0 : file.blocks;
        share_.add(file.blocks, copied);
        building_.blocks += file.blocks;
        while (building_.extents.size() * kExtentBlocks < building_.blocks) {
            std::swap(free_[random.below(free_.size())], free_.back());
            building_.extents.push_back(free_.back());
            free_.pop_back();
        }
        building_.files.push_back(file);
        left_ = file.blocks;
    }

    void finish_version() {
        Version& before = applications_[application_];
        free_.insert(free_.end(), before.extents.begin(), before.extents.end());
        before = std::exchange(building_, {});
    }

    [[nodiscard]] bool nothing_installed() const {
        return building_.files.empty() &&
               std::all_of(applications_.begin(), applications_.end(),
                           [](const Version& version) { return version.files.empty(); });
    }

    [[nodiscard]] File counterpart(Random& random) const {
        const std::vector<File>& before = applications_[application_].files;
        const std::size_t number = building_.files.size();
        if (number < before.size()) {
            return before[number];
        }
        const Version& version = any_version(random);
        return version.files[random.below(version.files.size())];
    }

    /// Any installed version or, if there is none, the one being installed. REQUIRES: some file is installed.
    [[nodiscard]] const Version& any_version(Random& random) const {
        SOLIDTLM_CHECK(!nothing_installed(), "some file is installed");
        const Version& version = applications_[random.below(applications_.size())];
        if (!version.files.empty()) {
            return version;
        }
        if (!building_.files.empty()) {
            return building_;
        }
        return *std::find_if(applications_.begin(), applications_.end(),
                             [](const Version& other) { return !other.files.empty(); });
    }

    WorkloadConfig config_;
    SizePicker sizes_;
    DuplicateShare share_;
    std::vector<Version> applications_;  ///< installed version of each application
    std::vector<std::uint64_t> free_;    ///< free extents
    std::uint64_t version_extents_ = 0;
    Version building_;
    std::size_t application_ = 0;  ///< whose version is being installed
    std::uint64_t left_ = 0;       ///< blocks left of its last file
    std::uint64_t next_identity_ = 1;
};

/// Bursts, their rate, and pauses are those of the recorded package installation, without pauses of more than
/// a second.
WorkloadConfig app_install_defaults() {
    WorkloadConfig config;
    config.read_share = 0.2;
    config.sizes = {kib(4, 0.45), kib(16, 0.25), kib(64, 0.20), kib(256, 0.08), kib(1024, 0.02)};
    config.streams = 4;
    config.arrivals = Arrivals::exponential;
    config.rate = 2000;
    config.burst = 52;
    config.idle = std::chrono::milliseconds(31);
    config.contents.duplicates = 0.35;
    return config;
}

std::string lacks_versions(const WorkloadConfig& config) {
    const std::uint64_t extents = (config.end_sector - config.first_sector) / kExtentSectors;
    return extents >= 2 && extents - 2 >= config.streams
               ? ""
               : std::to_string(config.streams + 2) + " versions of at least 512 KiB";
}

}  // namespace

extern const Pattern kAppInstallPattern{
    {"app_install", "versions of applications, installed file by file (study C)"},
    {.model = make_model<AppInstallModel>,
     .defaults = app_install_defaults,
     .own_contents = true,
     .keys = {"range", "duplicates", "streams"},
     .lacks = lacks_versions}};

}  // namespace solidtlm::testbench
