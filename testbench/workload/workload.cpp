// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/workload.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "testbench/workload/content_picker.h"
#include "testbench/workload/random.h"
#include "testbench/workload/size_picker.h"
#include "testbench/workload/study_models.h"
#include "testbench/workload/zipf.h"

namespace solidtlm::testbench {
namespace {

/// Chooses where a request of a given size starts.
class AddressPicker {
  public:
    virtual ~AddressPicker() = default;
    /// First sector, relative to the range.
    virtual std::uint64_t pick(std::uint64_t sectors, Random& random) = 0;
};

class SequentialPicker final : public AddressPicker {
  public:
    explicit SequentialPicker(const WorkloadConfig& config)
        : align_(config.align_sectors),
          part_((config.end_sector - config.first_sector) / config.align_sectors / config.streams *
                config.align_sectors),
          positions_(config.streams, 0) {}

    std::uint64_t pick(std::uint64_t sectors, Random& /*random*/) override {
        std::uint64_t& position = positions_[turn_];
        if (position + sectors > part_) {
            position = 0;
        }
        const std::uint64_t start = turn_ * part_ + position;
        position = (position + sectors + align_ - 1) / align_ * align_;
        turn_ = turn_ + 1 == positions_.size() ? 0 : turn_ + 1;
        return start;
    }

  private:
    std::uint64_t align_;
    std::uint64_t part_;                    ///< sectors of a stream
    std::vector<std::uint64_t> positions_;  ///< next start of every stream within its part
    std::size_t turn_ = 0;
};

class RandomPicker final : public AddressPicker {
  public:
    explicit RandomPicker(const WorkloadConfig& config)
        : align_(config.align_sectors), range_(config.end_sector - config.first_sector) {}

    std::uint64_t pick(std::uint64_t sectors, Random& random) override {
        return random.below((range_ - sectors) / align_ + 1) * align_;
    }

  private:
    std::uint64_t align_;
    std::uint64_t range_;
};

class ZipfPicker final : public AddressPicker {
  public:
    explicit ZipfPicker(const WorkloadConfig& config)
        : align_(config.align_sectors),
          range_(config.end_sector - config.first_sector),
          places_(range_ / align_),
          step_(spreading_step(places_)),
          zipf_(places_, config.theta) {}

    std::uint64_t pick(std::uint64_t sectors, Random& random) override {
        while (true) {
            const std::uint64_t rank = zipf_(random) - 1;
            const std::uint64_t start = static_cast<std::uint64_t>(Wide{rank} * step_ % places_) * align_;
            if (start + sectors <= range_) {
                return start;
            }
        }
    }

  private:
    __extension__ using Wide = unsigned __int128;

    /// A number coprime to `places` near its golden section, so that successive ranks lie far apart.
    static std::uint64_t spreading_step(std::uint64_t places) {
        constexpr double kGoldenSection = 0.6180339887498949;
        auto step = static_cast<std::uint64_t>(static_cast<double>(places) * kGoldenSection) | 1;
        while (std::gcd(step, places) != 1) {
            step += 2;
        }
        return step;
    }

    std::uint64_t align_;
    std::uint64_t range_;
    std::uint64_t places_;
    std::uint64_t step_;
    Zipf zipf_;
};

class HotColdPicker final : public AddressPicker {
  public:
    explicit HotColdPicker(const WorkloadConfig& config)
        : align_(config.align_sectors),
          range_(config.end_sector - config.first_sector),
          hot_access_(config.hot_access) {
        const std::uint64_t places = range_ / align_;
        const auto share =
            static_cast<std::uint64_t>(std::llround(static_cast<double>(places) * config.hot_space));
        hot_ = std::clamp<std::uint64_t>(share, 1, places - 1);
    }

    std::uint64_t pick(std::uint64_t sectors, Random& random) override {
        const std::uint64_t places = (range_ - sectors) / align_ + 1;
        // A request too long for the cold part can only start in the hot one.
        const bool hot = random.chance(hot_access_) || places <= hot_;
        const std::uint64_t place =
            hot ? random.below(std::min(hot_, places)) : hot_ + random.below(places - hot_);
        return place * align_;
    }

  private:
    std::uint64_t align_;
    std::uint64_t range_;
    double hot_access_;
    std::uint64_t hot_ = 0;  ///< places in the hot part
};

std::unique_ptr<AddressPicker> make_picker(const WorkloadConfig& config) {
    switch (config.pattern) {
        case Pattern::sequential:
            return std::make_unique<SequentialPicker>(config);
        case Pattern::random:
            return std::make_unique<RandomPicker>(config);
        case Pattern::zipf:
            return std::make_unique<ZipfPicker>(config);
        case Pattern::hotcold:
            return std::make_unique<HotColdPicker>(config);
        default:
            return nullptr;  // a study: its model knows the addresses
    }
}

class Workload final : public RequestSource {
  public:
    explicit Workload(const WorkloadConfig& config)
        : config_(config),
          random_(config.seed),
          sizes_(config.sizes),
          trim_sizes_(config.trim_sizes),
          picker_(make_picker(config)),
          model_(make_study_model(config, random_)) {
        if (config.contents.given() && config.pattern != Pattern::app_install) {
            contents_.emplace(config.contents, config.seed);
        }
    }

    bool next(Request& request) override {
        if ((config_.count > 0 && given_ >= config_.count) ||
            (config_.total_bytes > 0 && bytes_ >= config_.total_bytes && !flush_due_)) {
            return false;
        }
        request.clear();
        ++given_;
        if (flush_due_) {
            flush_due_ = false;
            request.operation = Operation::flush;
            request.arrival = arrival_;
            return true;
        }
        arrival_ = next_arrival();
        request.arrival = arrival_;
        if (random_.chance(config_.trim_share)) {
            make_trim(request);
        } else {
            make_transfer(request);
        }
        return true;
    }

    [[nodiscard]] std::optional<std::uint64_t> size() const override {
        return config_.count > 0 && config_.total_bytes == 0 ? std::optional(config_.count) : std::nullopt;
    }

  private:
    void make_trim(Request& request) {
        request.operation = Operation::trim;
        request.queued = config_.queued_trim;
        const std::uint64_t sectors = trim_sizes_(random_);
        const std::uint64_t start = config_.first_sector + picker_->pick(sectors, random_);
        request.ranges.push_back({Lba{start}, static_cast<std::uint32_t>(sectors)});
        if (contents_) {
            contents_->trim(request);
        }
    }

    void make_transfer(Request& request) {
        if (model_) {
            model_->draw(request, random_);
        } else {
            request.operation = random_.chance(config_.read_share) ? Operation::read : Operation::write;
        }
        const bool write = request.operation == Operation::write;
        request.fua = write && random_.chance(config_.fua_share);
        if (!model_) {
            request.sectors = sizes_(random_);
            request.lba = Lba{config_.first_sector + picker_->pick(request.sectors, random_)};
        }
        if (write && contents_) {
            contents_->write(request);
        }
        bytes_ += request.sectors * hal::kSectorBytes;
        flush_due_ = write && config_.flush_every > 0 && ++writes_ % config_.flush_every == 0;
    }

    Ps next_arrival() {
        const std::uint64_t number = arrivals_++;
        if (config_.arrivals == Arrivals::none || number == 0) {
            return Ps{0};
        }
        const bool pause = config_.idle > Ps{0} && !goes_on(config_.burst, random_);
        const Ps paused = pause ? exponential(static_cast<double>(config_.idle.count())) : Ps{0};
        if (config_.arrivals == Arrivals::fixed) {
            paused_ += paused;
            // From the number each time: no rounding error adds up.
            return paused_ + Ps{std::llround(static_cast<double>(number) * hal::kPsPerSecond / config_.rate)};
        }
        return arrival_ + paused + exponential(hal::kPsPerSecond / config_.rate);
    }

    Ps exponential(double mean_ps) { return Ps{std::llround(-std::log1p(-random_.real()) * mean_ps)}; }

    WorkloadConfig config_;
    Random random_;
    SizePicker sizes_;
    SizePicker trim_sizes_;
    std::unique_ptr<AddressPicker> picker_;
    std::unique_ptr<StudyModel> model_;
    std::optional<ContentPicker> contents_;
    std::uint64_t given_ = 0;
    std::uint64_t arrivals_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t writes_ = 0;
    bool flush_due_ = false;
    Ps arrival_{0};
    Ps paused_{0};  ///< between bursts so far; fixed arrivals
};

}  // namespace

bool tells_contents(const WorkloadConfig& config) {
    return config.contents.given() || config.pattern == Pattern::app_install;
}

std::unique_ptr<RequestSource> make_workload(const WorkloadConfig& config) {
    return std::make_unique<Workload>(config);
}

}  // namespace solidtlm::testbench
