// SPDX-License-Identifier: Apache-2.0
//
// Chooses the superpage to program next. Each parallel unit has one write frontier per stream (streams.h).
//
// The host has two streams where the destager sets some pages apart from the others. The stream is only a
// wish: if it has no room, the other one is used, so a reservation is good for both. While an SLC cache has
// room, the host's writes go there. A dynamic one takes superblocks of the common ones.
//
// Where the superpages of an SLC cache hold less than others (MediaLayout::shape()), the host must know how
// much it can write before it gathers it; where long writes go past the cache, it gathers only data that may
// go to the same mode; where the host waits for folding, there is no other mode. A reservation is then one in
// SLC mode or one in normal mode, and keeps what it needs: neither the other mode nor collection gets the
// superblocks that it will open. Long writes leave the cache
// only what it was promised: of free superblocks both take what they need.
//
// Host writes reserve before they take a place, and never touch the last free superblocks of a parallel unit
// (FirmwareConfig::kept_superblocks()): those belong to garbage collection, which can therefore always finish
// a victim. Only when the drive takes no more writes may the remaining contents of the write buffer use
// everything (spend_reserve()).
//
// A Reservation goes through three states:
//
//   reserved --place()--> programming --settle()--> over
//       |                                             ^
//       +----- destroyed, or no space: given back ----+
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fw/drive/services.h"
#include "fw/flash/candidate_set.h"
#include "fw/flash/spare.h"
#include "fw/flash/streams.h"
#include "fw/flash/superblock_table.h"
#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

class Allocator {
  public:
    /// Which superpages a reservation is good for. `any`: place() decides, because all data may go to both
    /// modes, which hold as much.
    enum class Mode : std::uint8_t { any, normal, slc };
    /// Which data are to be written.
    enum class Data : std::uint8_t {
        usual,  ///< they go to the SLC cache while it has room, and then where slc_cache.full says
        small,  ///< as above, but less than a superpage in normal mode: they go to the cache alone
        past,   ///< of long writes: they go past the cache
    };

    /// The right to program the next superpage of the host on a parallel unit. Destroyed unused, it is given
    /// back; if it was the latest one, the next one gets the same parallel unit.
    class Reservation {
      public:
        Reservation(Reservation&& other) noexcept
            : allocator_(std::exchange(other.allocator_, nullptr)),
              pu_(other.pu_),
              mode_(other.mode_),
              generation_(other.generation_),
              at_(other.at_) {}
        Reservation& operator=(Reservation&& other) noexcept {
            std::swap(allocator_, other.allocator_);
            std::swap(pu_, other.pu_);
            std::swap(mode_, other.mode_);
            std::swap(generation_, other.generation_);
            std::swap(at_, other.at_);
            return *this;
        }
        ~Reservation() {
            if (allocator_ != nullptr) {
                drop();
            }
        }

        [[nodiscard]] Pu pu() const { return pu_; }
        /// The most that the superpage holds.
        [[nodiscard]] std::uint32_t units() const {
            return allocator_->services_.layout.shape(mode_ == Mode::slc).units;
        }
        /// The superpage, which counts as in flight until settle(). None if a failed program has taken the
        /// space meanwhile; the reservation is over then. REQUIRES: no place was asked for before.
        [[nodiscard]] std::optional<SuperpageAddress> place(Stream stream = Stream::host);
        /// The program has ended. A superblock in which one failed is closed, to be emptied and retired; one
        /// in which one was refused is only closed. REQUIRES: place() has returned one.
        void settle(hal::FlashStatus status);

      private:
        friend class Allocator;
        Reservation(Allocator& allocator, Pu pu, Mode mode, std::uint64_t generation)
            : allocator_(&allocator), pu_(pu), mode_(mode), generation_(generation) {}
        void drop();

        Allocator* allocator_;  // null: over, or moved from
        Pu pu_;
        Mode mode_;
        std::uint64_t generation_;            // see host_generation()
        std::optional<SuperpageAddress> at_;  // being programmed
    };

    /// `progress` is notified when something changed that may make a failed reservation succeed.
    Allocator(Services& services, SuperblockTable& table, Signal& progress);

    /// Dynamic allocation: a superpage of the first idle parallel unit in stripe order, else of the one with
    /// the least pending work; none when all are at programs_per_die or out of space.
    std::optional<Reservation> reserve_any(Data data = Data::usual);
    /// Static allocation: a superpage of `pu`; none when it is at programs_per_die or out of space.
    std::optional<Reservation> reserve(Pu pu, Data data = Data::usual);
    /// Some parallel unit (or this one) has superpages for the host that hold less than others.
    [[nodiscard]] bool small_room() const;
    [[nodiscard]] bool small_room(Pu pu) const { return by_mode_ && room_left(pu, Mode::slc) > 0; }
    /// True when no parallel unit (or not this one) has a superpage left for such data of the host before GC
    /// frees something.
    [[nodiscard]] bool out_of_space(Data data = Data::usual);
    [[nodiscard]] bool out_of_space(Pu pu, Data data = Data::usual) const { return room_for(pu, data) == 0; }

    /// Nothing under way will free a superblock. Data that wait for room in one mode go to the other one,
    /// too, until a superblock becomes free. False if no data wait for one mode, or they go there already.
    bool open_both_modes();
    /// Collection will never need space again: the host's writes may take the reserve, too.
    void spend_reserve(bool spend);
    /// Some parallel unit has space for the host outside the reserve.
    [[nodiscard]] bool beyond_reserve() const;
    /// Sum over all parallel units.
    [[nodiscard]] std::uint64_t empty_superpages() const;
    /// Superblocks of `pu` that the SLC cache may open, as if `lent` of the superblocks that it has taken,
    /// and `others`, were free already.
    [[nodiscard]] std::uint32_t free_for_cache(Pu pu, std::uint32_t lent = 0,
                                               std::uint32_t others = 0) const {
        return table_.free_count(pu, true) + may_be_lent(pu, lent, others);
    }

    /// The next superpage for garbage collection, in flight until gc_program_done(). None if it has no room.
    std::optional<SuperpageAddress> allocate_gc(Pu pu);
    void gc_program_done(const SuperpageAddress& at, hal::FlashStatus status) { end_program(at, status); }
    /// Superpages that garbage collection may take: of its frontier, and of free superblocks that the host
    /// was not promised.
    [[nodiscard]] std::uint64_t gc_room(Pu pu) const;
    /// Collection of `pu` needs a superpage more than its reserve, until repay(): a move that waits for space
    /// has lost the units that it was to bring to an end, so its superpage will not end what it holds.
    void owe(Pu pu) { ++units_[pu.value].owed; }
    void repay(Pu pu) {
        --units_[pu.value].owed;
        look_again(services_.layout.stripe_position(pu));
        progress_.notify();
    }
    /// Superpages of `pu` in normal mode that can be programmed without an erase; 0 where their lower pages
    /// cannot be copied.
    [[nodiscard]] std::uint64_t empty_superpages(Pu pu) const;

    /// Rows of the superpages allocated so far, for host and collection.
    [[nodiscard]] std::uint64_t allocated() const { return allocated_; }
    /// A watch on allocation: `due` is notified when allocated() reaches `at`, and `settled` when a program
    /// has ended and is mapped. settled() works only while a watch is set.
    struct Watch {
        Signal* due = nullptr;
        Signal* settled = nullptr;
        std::uint64_t at = 0;
    };
    void watch(const Watch& watch) { watch_ = watch; }
    /// All programs that have a smaller sequence number have ended and are mapped.
    [[nodiscard]] bool settled(std::uint64_t sequence) const;

    /// After a loss of power: writing goes on at `at`, in a superblock that is open.
    void resume(const SuperpageAddress& at, Stream stream);
    void resume_sequence(std::uint64_t next) { sequence_ = next; }

    Signal& progress() { return progress_; }
    /// A superblock of `pu` has become free.
    void space_freed(Pu pu) {
        both_modes_ = false;
        look_again(services_.layout.stripe_position(pu));
        progress_.notify();
    }
    std::uint64_t next_sequence() {
        SOLIDTLM_CHECK(is_written(sequence_),
                       "a drive programs fewer pages in its life than numbers last for");
        return sequence_++;
    }
    /// Superpages that the host has reserved or is programming.
    [[nodiscard]] std::uint32_t host_in_flight() const { return host_in_flight_; }
    /// Programs of the host that have ended so far.
    [[nodiscard]] std::uint64_t host_programs_ended() const { return host_programs_ended_; }
    /// Reservations belong to generations. The next one begins when those before the present one are over; so
    /// what was under way in one generation is over when the second one after it begins.
    [[nodiscard]] std::uint64_t host_generation() const { return host_generation_; }
    /// All programs of the host that were reserved or under way at some instant of `generation` have ended.
    [[nodiscard]] bool host_programs_over(std::uint64_t generation) const {
        return host_in_flight_ == 0 || host_generation_ >= generation + 2;
    }

    void serialize(hal::StateArchive& archive) {
        archive(units_, cursor_, sequence_, host_programs_ended_, host_generation_, reserve_spent_,
                both_modes_, allocated_);
    }

  private:
    using Frontier = std::optional<Superblock>;  ///< is open
    struct UnitState {
        std::array<Frontier, kStreams.size()> frontiers;
        std::uint32_t reserved = 0;      // host superpages promised, not yet allocated
        std::uint32_t reserved_slc = 0;  // of them, those for which Mode::slc was promised
        std::uint32_t programs = 0;      // host superpages reserved or being programmed
        std::uint32_t owed = 0;          // superpages, see owe()

        void serialize(hal::StateArchive& archive) { archive(frontiers); }
    };

    [[nodiscard]] const Frontier& frontier(Pu pu, Stream stream) const {
        return units_[pu.value].frontiers[static_cast<std::size_t>(stream)];
    }
    /// Superpages left in the open superblock of `stream`.
    [[nodiscard]] std::uint32_t frontier_room(Pu pu, Stream stream) const;
    /// Superpages left in the open superblocks of the host's streams in normal mode.
    [[nodiscard]] std::uint64_t frontier_room(Pu pu) const;
    /// The lower pages of what the host, or collection, programs in normal mode can be copied, if they are.
    /// Those of the host need more room.
    [[nodiscard]] bool copies_fit(Pu pu, bool for_host) const;
    /// The part of free_for_cache() that is not always in SLC mode.
    [[nodiscard]] std::uint32_t may_be_lent(Pu pu, std::uint32_t lent = 0, std::uint32_t others = 0) const {
        return most_lent_ == 0 || reserve_spent_ ? 0 : part_of_free(pu, lent, others);
    }
    /// Superblocks that a new reservation must leave.
    [[nodiscard]] std::uint32_t kept(Pu pu) const;
    [[nodiscard]] std::uint32_t part_of_free(Pu pu, std::uint32_t lent, std::uint32_t others) const;
    /// may_be_lent(), less what is promised in normal mode.
    [[nodiscard]] std::uint32_t lendable(Pu pu) const;
    /// Superpages of the SLC cache that can be programmed without an erase of a superblock.
    [[nodiscard]] std::uint64_t cache_room(Pu pu) const {
        return has_cache_ ? std::uint64_t{table_.free_count(pu, true) + lendable(pu)} *
                                    services_.layout.slc_pages() +
                                frontier_room(pu, Stream::cache)
                          : 0;
    }
    /// empty_superpages(), where lower pages can be copied.
    [[nodiscard]] std::uint64_t programmable(Pu pu) const;
    /// As cache_room(), of superpages in normal mode that the host may use.
    [[nodiscard]] std::uint64_t normal_room(Pu pu) const;
    /// Superpages the host may still reserve in `pu` for such data.
    [[nodiscard]] std::uint64_t room_for(Pu pu, Data data) const;
    /// As above, for any data.
    [[nodiscard]] std::uint64_t host_room(Pu pu) const {
        return by_length_ ? room_left(pu, Mode::slc) + room_left(pu, Mode::normal)
                          : room_for(pu, Data::usual);
    }
    /// When the cache is full, the host's writes to it wait for folding.
    [[nodiscard]] bool waits_for_folding() const {
        return waits_when_full_ && !both_modes_ && !reserve_spent_;
    }
    /// Those of one mode. REQUIRES: by_mode_, and not Mode::any.
    [[nodiscard]] std::uint64_t room_left(Pu pu, Mode mode) const;
    /// Free superblocks that the present reservations will open.
    [[nodiscard]] std::uint64_t promised_superblocks(Pu pu) const;
    /// Those for reservations of one mode, among the ones that are not always in SLC mode. 0 unless by_mode_.
    [[nodiscard]] std::uint32_t promised(Pu pu, Mode mode) const;
    /// The stream in normal mode that the host's next superpage really goes to if it asks for `stream`.
    [[nodiscard]] Stream stream_with_room(Pu pu, Stream stream) const;
    /// As above, of a reservation; none if failed programs have taken the space of one in SLC mode.
    [[nodiscard]] std::optional<Stream> stream_for(Pu pu, Stream stream, Mode mode) const;
    [[nodiscard]] bool available(Pu pu) const {
        return units_[pu.value].programs < services_.config.allocation.programs_per_die && host_room(pu) > 0;
    }
    /// Of a unit that is available(): its room is good for such data.
    [[nodiscard]] bool has_room_for(Pu pu, Data data) const {
        return (!by_length_ && data == Data::usual) || room_for(pu, data) > 0;
    }
    void look_again(std::uint32_t position) {
        candidates_.set(position);
        with_room_.set(position);
    }
    void look_everywhere();
    std::optional<Pu> choose_any(Data data);
    std::optional<Pu> choose_unstriped();
    [[nodiscard]] Reservation take(Pu pu, Data data);
    std::optional<SuperpageAddress> place(const Reservation& reservation, Stream stream);
    void unreserve(Pu pu, Mode mode);
    void give_back(const Reservation& reservation);
    void end_program(const SuperpageAddress& at, hal::FlashStatus status);
    void end_host_program(Pu pu, std::uint64_t generation);
    bool advance(Pu pu, Stream stream, SuperpageAddress& at);
    void note_allocated(const SuperpageAddress& at, std::uint32_t rows);
    void note_done(const SuperpageAddress& at);

    Services& services_;
    SuperblockTable& table_;
    std::vector<UnitState> units_;
    std::uint32_t kept_;  // superblocks of a parallel unit that the host must always leave
    bool has_cache_;
    bool waits_when_full_;     // the host waits for folding when the cache is full
    bool by_length_;           // long writes go past the cache
    bool by_mode_;             // a reservation is for one mode
    std::uint32_t most_lent_;  // most superblocks of a parallel unit that the cache takes
    Signal& progress_;
    CandidateSet candidates_;   // stripe positions that may be available(); all others are not
    CandidateSet with_room_;    // stripe positions that may have host_room(); all others have none
    std::uint32_t cursor_ = 0;  // stripe position after the last reservation
    std::uint64_t sequence_ = 1;
    std::uint32_t host_in_flight_ = 0;
    std::uint64_t host_programs_ended_ = 0;
    std::uint64_t host_generation_ = 1;
    std::array<std::uint32_t, 2> of_generation_{};  // under way, of the present generation and the one before
    bool reserve_spent_ = false;
    bool both_modes_ = false;  // see open_both_modes()
    std::uint64_t allocated_ = 0;
    /// A superpage that is allocated but not done, and its lowest possible sequence number. Kept only while
    /// a Watch is set.
    struct Open {
        SuperpageAddress at;
        std::uint64_t sequence;
    };
    std::vector<Open> open_;
    Watch watch_;
};

}  // namespace solidtlm::fw
