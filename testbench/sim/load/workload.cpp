// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/workload.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "fw/hal/horizon.h"
#include "testbench/sim/load/content_picker.h"
#include "testbench/sim/load/pattern.h"
#include "testbench/sim/load/random.h"
#include "testbench/sim/load/read_blocks.h"
#include "testbench/sim/load/size_picker.h"
#include "testbench/sim/load/study_models.h"

namespace solidtlm::testbench {
namespace {

class Workload final : public RequestSource {
  public:
    explicit Workload(const WorkloadConfig& config)
        : config_(config),
          random_(config.seed),
          sizes_(config.sizes),
          trim_sizes_(config.trim_sizes),
          traits_(hal::named(patterns(), config.pattern).traits) {
        if (traits_.model != nullptr) {
            model_ = traits_.model(config, random_);
        } else {
            picker_ = traits_.picker(config);
        }
        if (config.contents.given() && !traits_.own_contents) {
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

    /// What it reads; of a load that may read a good part of its range, the range.
    [[nodiscard]] std::vector<SectorRange> reads() const override {
        constexpr std::uint64_t kGoodPart = 4;
        if (config_.read_share == 0 && traits_.model == nullptr) {
            return {};
        }
        const std::uint64_t range = config_.end_sector - config_.first_sector;
        const auto largest = std::ranges::max(config_.sizes, {}, &SizeShare::sectors).sectors;
        if (traits_.model != nullptr || config_.count == 0 || config_.count > range / largest / kGoodPart) {
            return {{Lba{config_.first_sector}, range}};
        }
        Workload again(config_);
        ReadBlocks blocks;
        for (Request request; again.next(request);) {
            blocks.note(request);
        }
        return blocks.ranges();
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
            paused_ = hal::instant_after(paused_, paused);
            // Computed from the number each time, so that rounding errors do not add up.
            return hal::instant_after(paused_, hal::nearest_instant(static_cast<double>(number) *
                                                                    hal::kPsPerSecond / config_.rate));
        }
        return hal::instant_after(hal::instant_after(arrival_, paused),
                                  exponential(hal::kPsPerSecond / config_.rate));
    }

    Ps exponential(double mean_ps) { return hal::nearest_instant(-std::log1p(-random_.real()) * mean_ps); }

    WorkloadConfig config_;
    Random random_;
    SizePicker sizes_;
    SizePicker trim_sizes_;
    const PatternTraits& traits_;
    std::unique_ptr<AddressPicker> picker_;
    std::unique_ptr<StudyModel> model_;
    std::optional<ContentPicker> contents_;
    std::uint64_t given_ = 0;
    std::uint64_t arrivals_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t writes_ = 0;
    bool flush_due_ = false;
    Ps arrival_{0};
    Ps paused_{0};  ///< sum of the pauses between bursts so far; for fixed arrivals
};

}  // namespace

bool tells_contents(const WorkloadConfig& config) {
    return config.contents.given() || hal::named(patterns(), config.pattern).traits.own_contents;
}

double mean_seconds(const WorkloadConfig& config) {
    if (config.rate == 0) {
        return 0;
    }
    const double pauses = std::chrono::duration<double>(config.idle).count() / config.burst;
    return static_cast<double>(config.count) * (1 / config.rate + pauses);
}

std::unique_ptr<RequestSource> make_workload(const WorkloadConfig& config) {
    return std::make_unique<Workload>(config);
}

}  // namespace solidtlm::testbench
