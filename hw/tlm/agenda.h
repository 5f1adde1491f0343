// SPDX-License-Identifier: Apache-2.0
//
// The event queue that the blocks of a drive share: functions to call, each at an instant of simulated time.
// Entries of one instant run in the order in which they were asked for; an entry that is asked for at its own
// instant runs last in it. An entry costs no event of the kernel.
//
// Temporal decoupling (IEEE 1666-2011, 10.2): the agenda may run ahead of the kernel, at most by its quantum,
// and always stops before the next instant at which any other process has something to do. So a process that
// calls from outside finds the agenda at the kernel's time or earlier. The agenda calls modules outside
// through Outside, which has the delay to annotate.
// The one caller that it cannot foresee is sc_main between two sc_start(duration): with a quantum, sc_main
// finds a drive that is ahead by up to the quantum, and must not ask it for anything before the agenda's
// time.
//
// One process runs the agenda: an SC_METHOD of its own, unless a thread takes it over (FirmwareCore).
#pragma once

#include <cstdint>
#include <systemc>
#include <utility>
#include <vector>

#include "fw/hal/check.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

class Agenda : public sc_core::sc_module {
  public:
    static constexpr Ps kNever = Ps::max();
    /// `object` and `word` are those of push().
    using Call = void (*)(void* object, std::uint64_t word);
    /// Identifies an entry, for withdraw().
    using Ticket = std::uint64_t;

    explicit Agenda(const sc_core::sc_module_name& name);
    ~Agenda() override;

    /// Calls `call(object, word)` at `at`. `owner` is the block that the entry belongs to, for drop().
    /// REQUIRES: `at` has not passed; the agenda has room.
    Ticket push(Ps at, const void* owner, Call call, void* object, std::uint64_t word = 0) {
        return add<false>(at, Entry{call, object, word, owner});
    }
    /// As above, but it runs before all others of that instant that have not run.
    Ticket push_first(Ps at, const void* owner, Call call, void* object) {
        return add<true>(at, Entry{call, object, 0, owner});
    }
    /// Voids the entry if it has not run.
    void withdraw(Ticket ticket);
    /// Voids all entries of `owner`, which lost power.
    void drop(const void* owner);
    /// True if no other entry is due at this instant, so that the caller may do its follow-up directly
    /// instead of scheduling it.
    [[nodiscard]] bool nothing_else_now() const {
        return first_ == end_ && (future_.empty() || future_.back().at != now_);
    }

    /// Sets how far the agenda may run ahead of the kernel. 0: it stays in step with the kernel.
    void set_quantum(Ps quantum);
    /// Pauses the simulation (sc_pause) at the agenda's time, after the running entry has ended.
    void pause() { pausing_ = true; }
    /// While it is alive, an entry calls a module that does not share the agenda: now() is the kernel's time,
    /// and `delay` says how far the agenda is ahead of it. The call may give the kernel new events, so the
    /// agenda then computes its horizon again.
    class Outside {
      public:
        explicit Outside(Agenda& agenda) : delay(to_sc_time(agenda.now_ - kernel_now())), agenda_(agenda) {
            running_time = nullptr;
        }
        Outside(const Outside&) = delete;
        Outside& operator=(const Outside&) = delete;
        ~Outside() {
            running_time = &agenda_.now_;
            agenda_.horizon_ = agenda_.look_ahead();
        }
        sc_core::sc_time delay;

      private:
        Agenda& agenda_;
    };

    /// Lets a thread run the agenda in place of the agenda's own process: the thread calls begin() first,
    /// then step() whenever it has nothing to do. Call once, before the simulation starts.
    void take_over();
    /// From here on now() is the agenda's time.
    void begin();
    /// Runs the next entry, or waits in the kernel until one may run.
    void step() {
        if (!run_next()) {
            wait_for_kernel();
        }
    }

    /// Entries run so far.
    [[nodiscard]] std::uint64_t runs() const { return runs_; }
    /// How often the kernel woke the agenda's process.
    [[nodiscard]] std::uint64_t wake_ups() const { return wake_ups_; }

  private:
    struct Entry {
        Call call = nullptr;  ///< null: void
        void* object = nullptr;
        std::uint64_t word = 0;
        const void* owner = nullptr;
    };
    /// An entry for a later instant. Free nodes form a linked list.
    struct Node {
        Entry entry;
        Ticket ticket = 0;
        std::uint32_t next_free = 0;
    };
    struct Key {
        Ps at;
        std::uint32_t node;
    };
    static constexpr unsigned kNodeBits = 20;
    static constexpr std::uint32_t kNodes = std::uint32_t{1} << kNodeBits;
    static constexpr std::uint32_t kNoNode = kNodes - 1;
    /// This bit of a ticket marks an entry of the running instant; the other bits are then the entry's
    /// number. Without it, the lowest bits are the entry's node.
    static constexpr Ticket kOfThisInstant = Ticket{1} << 63U;

    void before_end_of_elaboration() override;
    void agenda_method();

    void grow_nodes();
    void grow_instant();

    template <bool kFirst>
    Ticket add(Ps at, const Entry& entry) {
        SOLIDTLM_CHECK(at >= now_, "the instant has not passed");
        const Ticket ticket = !kFirst && at == now_ ? append(entry) : insert<kFirst>(at, entry);
        if (at < waits_until_) {
            ask_kernel(at);
        }
        return ticket;
    }
    Ticket append(const Entry& entry) {
        if (end_ - first_ == places_) {
            grow_instant();
        }
        of_instant(end_) = entry;
        return kOfThisInstant | end_++;
    }
    /// Puts an entry before or after all others of its instant. `future_` has the next entry last: most
    /// entries are asked for shortly before their instant, so few others have to make room.
    template <bool kFirst>
    Ticket insert(Ps at, const Entry& entry) {
        if (free_ == kNoNode) {
            grow_nodes();
        }
        const std::uint32_t node = free_;
        free_ = nodes_[node].next_free;
        const Ticket ticket = (next_ticket_ += kNodes) | node;
        nodes_[node].entry = entry;
        nodes_[node].ticket = ticket;
        const Key key{at, node};
        future_.push_back(key);
        std::size_t place = future_.size() - 1;
        const auto precedes = [at](const Key& other) { return kFirst ? other.at < at : other.at <= at; };
        for (; place > 0 && precedes(future_[place - 1]); --place) {
            future_[place] = future_[place - 1];
        }
        future_[place] = key;
        return ticket;
    }
    /// Removes the next entry of a later instant and frees its node.
    Entry pop_future() {
        Node& node = nodes_[future_.back().node];
        node.ticket = 0;
        node.next_free = free_;
        free_ = future_.back().node;
        future_.pop_back();
        return node.entry;
    }
    /// The entry of the running instant with that number.
    Entry& of_instant(std::uint64_t number) { return instant_[number & (places_ - 1)]; }
    /// Returns false if the entry is void. `entry` may move during the call.
    bool run(const Entry& entry) {
        if (entry.call == nullptr) {
            return false;
        }
        ++runs_;
        entry.call(entry.object, entry.word);
        return true;
    }
    /// Runs the next entry that is not void; false: none may run. Within an instant, entries that were asked
    /// for before the instant began run first.
    bool run_next() {
        while (!pausing_) {
            if (!future_.empty() && future_.back().at == now_) {
                if (run(pop_future())) {
                    return true;
                }
            } else if (first_ != end_) {
                if (run(of_instant(first_++))) {
                    return true;
                }
            } else if (!begin_next_instant()) {
                return false;
            }
        }
        return false;
    }
    /// Moves time to the next entry that is not void; false: there is none up to the horizon.
    bool begin_next_instant() {
        while (!future_.empty()) {
            const Key next = future_.back();
            if (nodes_[next.node].entry.call == nullptr) {
                pop_future();
            } else if (next.at > horizon_) {
                return false;
            } else {
                now_ = next.at;
                return true;
            }
        }
        return false;
    }
    /// A caller from outside has asked for something before the kernel would wake the agenda: moves the
    /// wake-up to `at`.
    void ask_kernel(Ps at);
    /// From here on now() is the kernel's time. Asks the kernel to wake the agenda when it may go on.
    void end();
    void wait_for_kernel();
    [[nodiscard]] Ps look_ahead() const;

    static constexpr Ps kRuns = Ps::min();  ///< the agenda runs
    std::vector<Key> future_;               ///< in order, the next one last; some dozens
    std::vector<Node> nodes_;
    std::uint32_t free_ = kNoNode;  ///< list of nodes
    std::vector<Entry> instant_;    ///< of the running instant: a ring
    std::uint64_t places_ = 0;      ///< its size, a power of two
    std::uint64_t first_ = 0;       ///< number of the next of them; numbers continue over instants
    std::uint64_t end_ = 0;
    Ps now_{0};       ///< time of the entry that runs or ran last
    Ps horizon_{-1};  ///< the last instant that it may run
    Ps quantum_{0};
    Ps waits_until_{kRuns};  ///< when the kernel wakes the agenda; or kRuns, kNever
    Ticket next_ticket_ = 0;
    bool pausing_ = false;
    bool taken_over_ = false;
    std::uint64_t runs_ = 0;
    std::uint64_t wake_ups_ = 0;
    sc_core::sc_event due_{"due_event"};
};

}  // namespace solidtlm::hw
