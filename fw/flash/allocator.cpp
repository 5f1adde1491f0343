// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/allocator.h"

#include <algorithm>

#include "fw/flash/backup_flash.h"
#include "fw/flash/needs.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

/// a - b, or 0.
template <class Number>
Number less(Number a, Number b) {
    return a - std::min(a, b);
}

/// Superblocks of `pages` superpages that hold `superpages`.
std::uint64_t blocks_of(std::uint64_t superpages, std::uint32_t pages) {
    return (superpages + pages - 1) / pages;
}

}  // namespace

Allocator::Allocator(Services& services, SuperblockTable& table, Signal& progress)
    : services_(services),
      table_(table),
      units_(services.layout.pus()),
      kept_(services.config.kept_superblocks()),
      has_cache_(services.config.slc_cache.any()),
      waits_when_full_(has_cache_ && services.config.slc_cache.full == SlcCacheFull::fold),
      by_length_(services.config.slc_cache.by_length()),
      by_mode_(has_cache_ && (by_length_ || waits_when_full_ || services.layout.rows() > 1)),
      most_lent_(most_dynamic_superblocks(services.config)),
      progress_(progress),
      candidates_(services.layout.pus()),
      with_room_(services.layout.pus()) {}

std::uint32_t Allocator::frontier_room(Pu pu, Stream stream) const {
    const Frontier& open = frontier(pu, stream);
    return open ? table_.room(table_.index(pu, *open)) : 0;
}

std::uint64_t Allocator::frontier_room(Pu pu) const {
    std::uint64_t room = 0;
    for (const Stream stream : kHostStreams) {
        room += frontier_room(pu, stream);
    }
    return room;
}

std::uint32_t Allocator::kept(Pu pu) const {
    const std::uint32_t owed = units_[pu.value].owed;
    return owed == 0 ? kept_
                     : kept_ + static_cast<std::uint32_t>(blocks_of(
                                   less(std::uint64_t{owed}, std::uint64_t{frontier_room(pu, Stream::gc)}),
                                   services_.layout.pages()));
}

/// The cache may hold a share of the free superblocks and its own together, so the limit stays the same while
/// it fills. If the host writes only to the cache, the limit is at least one.
std::uint32_t Allocator::part_of_free(Pu pu, std::uint32_t lent, std::uint32_t others) const {
    const SlcCacheConfig& cache = services_.config.slc_cache;
    const auto in_use = static_cast<std::uint32_t>(table_.lent(pu).size()) - lent;
    const std::uint32_t free = table_.free_count(pu) + lent + others;
    const std::uint32_t kept = this->kept(pu);
    if (free <= kept) {
        return 0;
    }
    constexpr double kRounding = 1e-9;  // a share like 0.29 of 100 is 29
    const auto share = static_cast<std::uint32_t>(cache.share * (in_use + free - kept) + kRounding);
    const std::uint32_t most =
        std::min(most_lent_, std::max(share, cache.full == SlcCacheFull::fold ? 1U : 0U));
    return most > in_use ? std::min(most - in_use, free - kept) : 0;
}

std::uint32_t Allocator::lendable(Pu pu) const {
    const std::uint32_t most = may_be_lent(pu);
    const std::uint32_t others = promised(pu, Mode::normal);
    return others == 0 ? most : std::min(most, less(table_.free_count(pu), kept(pu) + others));
}

bool Allocator::copies_fit(Pu pu, bool for_host) const {
    return services_.backup == nullptr || services_.backup->has_room(pu, for_host);
}

std::uint64_t Allocator::normal_room(Pu pu) const {
    if (!copies_fit(pu, true)) {
        return 0;
    }
    if (reserve_spent_) {
        return programmable(pu);
    }
    std::uint32_t taken = kept(pu);
    if (has_cache_) {
        const std::uint32_t promised_to_cache = promised(pu, Mode::slc);
        taken += by_length_ ? promised_to_cache : std::max(may_be_lent(pu), promised_to_cache);
    }
    return frontier_room(pu) + std::uint64_t{less(table_.free_count(pu), taken)} * services_.layout.pages();
}

std::uint64_t Allocator::room_for(Pu pu, Data data) const {
    const bool waits = waits_for_folding();
    if (!by_mode_) {
        return less(cache_room(pu) + (waits ? 0 : normal_room(pu)), std::uint64_t{units_[pu.value].reserved});
    }
    const bool to_normal = data == Data::past || (data == Data::usual && !waits);
    const bool to_cache = data != Data::past || both_modes_ || reserve_spent_;
    return (to_cache ? room_left(pu, Mode::slc) : 0) + (to_normal ? room_left(pu, Mode::normal) : 0);
}

std::uint64_t Allocator::room_left(Pu pu, Mode mode) const {
    const UnitState& unit = units_[pu.value];
    return mode == Mode::slc ? less(cache_room(pu), std::uint64_t{unit.reserved_slc})
                             : less(normal_room(pu), std::uint64_t{unit.reserved - unit.reserved_slc});
}

bool Allocator::small_room() const {
    for (std::uint32_t pu = 0; by_mode_ && pu < units_.size(); ++pu) {
        if (small_room(Pu{pu})) {
            return true;
        }
    }
    return false;
}

bool Allocator::open_both_modes() {
    if ((!waits_when_full_ && !by_length_) || both_modes_) {
        return false;
    }
    both_modes_ = true;
    look_everywhere();
    return true;
}

std::uint64_t Allocator::empty_superpages(Pu pu) const {
    return copies_fit(pu, false) ? programmable(pu) : 0;
}

std::uint64_t Allocator::programmable(Pu pu) const {
    return std::uint64_t{table_.free_count(pu)} * services_.layout.pages() + frontier_room(pu) +
           frontier_room(pu, Stream::gc);
}

std::uint64_t Allocator::empty_superpages() const {
    std::uint64_t empty = 0;
    for (std::uint32_t pu = 0; pu < units_.size(); ++pu) {
        empty += empty_superpages(Pu{pu});
    }
    return empty;
}

void Allocator::spend_reserve(bool spend) {
    reserve_spent_ = spend;
    look_everywhere();
}

void Allocator::look_everywhere() {
    for (std::uint32_t position = 0; position < units_.size(); ++position) {
        look_again(position);
    }
}

bool Allocator::beyond_reserve() const {
    for (std::uint32_t pu = 0; pu < units_.size(); ++pu) {
        if (table_.free_count(Pu{pu}) > kept_ && copies_fit(Pu{pu}, true)) {
            return true;
        }
    }
    return false;
}

bool Allocator::out_of_space(Data data) {
    const auto positions = static_cast<std::uint32_t>(units_.size());
    for (std::uint32_t at = with_room_.next(0); at < positions; at = with_room_.next(at + 1)) {
        const Pu pu = services_.layout.stripe(at);
        if (room_for(pu, data) > 0) {
            return false;
        }
        if (!by_length_ || host_room(pu) == 0) {
            with_room_.clear(at);
        }
    }
    return true;
}

void Allocator::Reservation::drop() {
    if (!at_ && allocator_->services_.executor.alive()) {
        allocator_->give_back(*this);
    }
}

std::optional<SuperpageAddress> Allocator::Reservation::place(Stream stream) {
    SOLIDTLM_CHECK(allocator_ != nullptr && !at_, "a reservation is good for one superpage");
    at_ = allocator_->place(*this, stream);
    if (!at_) {
        allocator_ = nullptr;
    }
    return at_;
}

void Allocator::Reservation::settle(hal::FlashStatus status) {
    SOLIDTLM_CHECK(allocator_ != nullptr && at_, "what was placed is settled, once");
    allocator_->end_program(*at_, status);
    allocator_->end_host_program(pu_, generation_);
    allocator_ = nullptr;
}

Allocator::Reservation Allocator::take(Pu pu, Data data) {
    Mode mode = Mode::any;
    if (by_mode_) {
        const bool slc = data == Data::past ? room_left(pu, Mode::normal) == 0 : room_left(pu, Mode::slc) > 0;
        mode = slc ? Mode::slc : Mode::normal;
    }
    ++units_[pu.value].reserved;
    units_[pu.value].reserved_slc += mode == Mode::slc ? 1 : 0;
    ++units_[pu.value].programs;
    ++host_in_flight_;
    ++of_generation_[host_generation_ % 2];
    return Reservation(*this, pu, mode, host_generation_);
}

std::optional<Allocator::Reservation> Allocator::reserve(Pu pu, Data data) {
    return available(pu) && has_room_for(pu, data) ? std::optional(take(pu, data)) : std::nullopt;
}

std::optional<Allocator::Reservation> Allocator::reserve_any(Data data) {
    const std::optional<Pu> pu =
        services_.config.allocation.striping == StripingMode::none ? choose_unstriped() : choose_any(data);
    return pu ? std::optional(take(*pu, data)) : std::nullopt;
}

/// Without striping: fill the superblock that is open, then go on to the next parallel unit.
std::optional<Pu> Allocator::choose_unstriped() {
    const MediaLayout& layout = services_.layout;
    for (std::uint32_t tried = 0; tried < layout.pus(); ++tried) {
        const Pu pu = layout.stripe(cursor_);
        const UnitState& unit = units_[pu.value];
        const bool open = frontier(pu, Stream::host).has_value();
        const std::uint32_t room = open ? frontier_room(pu, Stream::host) : layout.pages();
        const bool wraps = open && unit.reserved >= room;
        if (!wraps && host_room(pu) > 0) {
            if (!available(pu)) {
                return std::nullopt;  // busy: its turn has not come to an end
            }
            if (unit.reserved + 1 >= room) {
                cursor_ = (cursor_ + 1) % layout.pus();
            }
            return pu;
        }
        cursor_ = (cursor_ + 1) % layout.pus();
    }
    for (std::uint32_t pu = 0; pu < layout.pus();
         ++pu) {  // every frontier is promised in full: take what there is
        if (available(Pu{pu})) {
            return Pu{pu};
        }
    }
    return std::nullopt;
}

std::optional<Pu> Allocator::choose_any(Data data) {
    const MediaLayout& layout = services_.layout;
    std::optional<std::uint32_t> best;
    std::uint32_t best_pending = 0;
    // In stripe order from the cursor on, once around.
    bool wrapped = cursor_ == 0;
    std::uint32_t end = layout.pus();
    for (std::uint32_t position = candidates_.next(cursor_);; position = candidates_.next(position + 1)) {
        if (position >= end) {
            if (wrapped) {
                break;
            }
            wrapped = true;
            end = cursor_;
            position = candidates_.next(0);
            if (position >= end) {
                break;
            }
        }
        const Pu pu = layout.stripe(position);
        if (!available(pu)) {
            candidates_.clear(position);
            continue;
        }
        const std::uint32_t pending =
            services_.flash->pending(layout.channel_of(pu), layout.die_of(pu)) + units_[pu.value].reserved;
        // The room is asked for last, because it takes the longest to tell.
        if ((best && pending >= best_pending) || !has_room_for(pu, data)) {
            continue;
        }
        best = position;
        best_pending = pending;
        if (pending == 0) {
            break;
        }
    }
    if (!best) {
        return std::nullopt;
    }
    cursor_ = (*best + 1) % layout.pus();
    return layout.stripe(*best);
}

bool Allocator::advance(Pu pu, Stream stream, SuperpageAddress& at) {
    Frontier& frontier = units_[pu.value].frontiers[static_cast<std::size_t>(stream)];
    if (!frontier) {
        frontier = table_.open(pu, traits_of(stream).slc);
        if (!frontier) {
            return false;
        }
    }
    const BlockIndex block = table_.index(pu, *frontier);
    at = SuperpageAddress{pu, *frontier, table_.begin_program(block)};
    const std::uint32_t rows = services_.layout.shape(traits_of(stream).slc).rows;
    allocated_ += rows;
    if (watch_.settled != nullptr) {
        note_allocated(at, rows);
    }
    if (table_.room(block) == 0) {
        frontier.reset();
    }
    return true;
}

std::uint32_t Allocator::promised(Pu pu, Mode mode) const {
    const UnitState& unit = units_[pu.value];
    if (!by_mode_ || unit.reserved == 0) {
        return 0;
    }
    const MediaLayout& layout = services_.layout;
    if (mode == Mode::slc) {
        const std::uint64_t room = std::uint64_t{table_.free_count(pu, true)} * layout.slc_pages() +
                                   frontier_room(pu, Stream::cache);
        return static_cast<std::uint32_t>(
            blocks_of(less(std::uint64_t{unit.reserved_slc}, room), layout.slc_pages()));
    }
    return static_cast<std::uint32_t>(
        blocks_of(less(std::uint64_t{unit.reserved - unit.reserved_slc}, frontier_room(pu)), layout.pages()));
}

std::uint64_t Allocator::promised_superblocks(Pu pu) const {
    const MediaLayout& layout = services_.layout;
    const std::uint64_t reserved = units_[pu.value].reserved;
    if (reserved == 0) {
        return 0;
    }
    if (by_mode_) {
        return promised(pu, Mode::slc) + promised(pu, Mode::normal);
    }
    const std::uint32_t lendable = may_be_lent(pu);
    if (lendable == 0) {
        return blocks_of(less(reserved, frontier_room(pu) + cache_room(pu)), layout.pages());
    }
    const std::uint64_t to_lend = std::uint64_t{lendable} * layout.slc_pages();
    const std::uint64_t beyond = less(reserved, cache_room(pu) - to_lend);
    return blocks_of(std::min(beyond, to_lend), layout.slc_pages()) +
           blocks_of(less(beyond, to_lend + frontier_room(pu)), layout.pages());
}

std::optional<Stream> Allocator::stream_for(Pu pu, Stream stream, Mode mode) const {
    if (mode == Mode::any) {
        return cache_room(pu) > 0 ? Stream::cache : stream_with_room(pu, stream);
    }
    if (mode == Mode::normal) {
        return stream_with_room(pu, stream);
    }
    // It is kept even if the cache may have less by now, because fewer superblocks are free.
    const bool room = frontier(pu, Stream::cache).has_value() || table_.free_count(pu, true) > 0 ||
                      (most_lent_ > 0 && table_.free_count(pu) > kept_);
    return room ? std::optional(Stream::cache) : std::nullopt;
}

Stream Allocator::stream_with_room(Pu pu, Stream stream) const {
    const auto open = [this, pu](Stream which) { return frontier(pu, which).has_value(); };
    const std::uint32_t kept = reserve_spent_ ? 0 : kept_;
    if (open(stream) || table_.free_count(pu) > kept) {
        return stream;
    }
    if (reserve_spent_ && open(Stream::gc)) {
        return Stream::gc;
    }
    const auto other = std::ranges::find_if(kHostStreams, open);
    return other != kHostStreams.end() ? *other : stream;
}

void Allocator::end_host_program(Pu pu, std::uint64_t generation) {
    SOLIDTLM_CHECK(units_[pu.value].programs > 0, "as many programs end as begin");
    --units_[pu.value].programs;
    --host_in_flight_;
    ++host_programs_ended_;
    --of_generation_[generation % 2];
    if (of_generation_[(host_generation_ + 1) % 2] == 0) {
        ++host_generation_;
    }
    look_again(services_.layout.stripe_position(pu));
    progress_.notify();
}

void Allocator::unreserve(Pu pu, Mode mode) {
    --units_[pu.value].reserved;
    units_[pu.value].reserved_slc -= mode == Mode::slc ? 1 : 0;
}

void Allocator::give_back(const Reservation& reservation) {
    const Pu pu = reservation.pu_;
    const std::uint32_t position = services_.layout.stripe_position(pu);
    if ((position + 1) % services_.layout.pus() == cursor_) {
        cursor_ = position;
    }
    unreserve(pu, reservation.mode_);
    end_host_program(pu, reservation.generation_);
}

std::optional<SuperpageAddress> Allocator::place(const Reservation& reservation, Stream stream) {
    const Pu pu = reservation.pu_;
    SuperpageAddress at;
    const std::optional<Stream> chosen = stream_for(pu, stream, reservation.mode_);
    const bool found = chosen && advance(pu, *chosen, at);
    unreserve(pu, reservation.mode_);
    if (!found) {
        end_host_program(pu, reservation.generation_);
        return std::nullopt;
    }
    look_again(services_.layout.stripe_position(pu));  // it may have opened a superblock of the reserve
    return at;
}

std::uint64_t Allocator::gc_room(Pu pu) const {
    if (!copies_fit(pu, false)) {
        return 0;
    }
    const std::uint64_t free = table_.free_count(pu);
    const std::uint64_t promised = std::min(free, promised_superblocks(pu));
    return (free - promised) * services_.layout.pages() + frontier_room(pu, Stream::gc);
}

std::optional<SuperpageAddress> Allocator::allocate_gc(Pu pu) {
    SuperpageAddress at;
    if (gc_room(pu) == 0 || !advance(pu, Stream::gc, at)) {
        return std::nullopt;
    }
    return at;
}

void Allocator::note_allocated(const SuperpageAddress& at, std::uint32_t rows) {
    // Programs of the host: programs_per_die per parallel unit. Programs of collection: a pipeline, and
    // one that follows an erase.
    SOLIDTLM_CHECK(open_.size() < units_.size() * (services_.config.allocation.programs_per_die +
                                                   services_.config.gc.pipeline_depth + 1),
                   "no more programs are under way than parallel units take");
    open_.push_back(Open{at, sequence_});
    if (allocated_ >= watch_.at && allocated_ - rows < watch_.at) {
        watch_.due->notify();
    }
}

void Allocator::note_done(const SuperpageAddress& at) {
    if (watch_.settled != nullptr) {
        std::erase_if(open_, [&at](const Open& open) { return open.at == at; });
        watch_.settled->notify();
    }
}

bool Allocator::settled(std::uint64_t sequence) const {
    return std::none_of(open_.begin(), open_.end(),
                        [sequence](const Open& open) { return open.sequence < sequence; });
}

void Allocator::resume(const SuperpageAddress& at, Stream stream) {
    units_[at.pu.value].frontiers[static_cast<std::size_t>(stream)] = at.superblock;
    table_.info(at.pu, at.superblock).next_page = at.page;
}

void Allocator::end_program(const SuperpageAddress& at, hal::FlashStatus status) {
    const BlockIndex block = table_.index(at.pu, at.superblock);
    if (status == hal::FlashStatus::refused) {
        table_.refuse_program(block);
    } else {
        table_.end_program(block, status == hal::FlashStatus::ok);
    }
    note_done(at);
    if (status != hal::FlashStatus::ok) {
        std::ranges::replace(units_[at.pu.value].frontiers, Frontier(at.superblock), Frontier());
    }
}

}  // namespace solidtlm::fw
