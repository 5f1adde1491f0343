// SPDX-License-Identifier: Apache-2.0
//
// What the blocks of a drive are to do, and when: one queue of (time, order of asking, whom to call) for all
// of them. Entries of one instant run in the order in which they were asked for; what is asked for at the
// instant that runs comes last. Nothing in it costs an event of the kernel.
//
// Temporal decoupling (IEEE 1666-2011, 10.2): the agenda may run ahead of the kernel, at most by its quantum
// and never to or past the next instant at which a process that is not its own has something to do. So
// whoever calls from outside finds it at the kernel's time or before. A call to the outside is made through
// Outside, which has the delay to annotate it with.
// Only sc_main between two sc_start(duration) cannot be foreseen: with a quantum it finds a drive that is
// ahead by up to that, and must not ask it for anything before its time.
//
// One process runs it: an SC_METHOD of its own, unless a thread takes it over (FirmwareCore).
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
    /// `object` and `word` are what was said when it was asked for.
    using Call = void (*)(void* object, std::uint64_t word);
    /// Names an entry.
    using Ticket = std::uint64_t;

    explicit Agenda(const sc_core::sc_module_name& name);
    ~Agenda() override;

    /// Calls at `at`. `owner` is the block it belongs to, for drop(). REQUIRES: `at` has not passed; room for
    /// it.
    Ticket push(Ps at, const void* owner, Call call, void* object, std::uint64_t word = 0) {
        SOLIDTLM_CHECK(at >= now_, "what is asked for has not passed");
        const Entry entry{call, object, word, owner};
        const Ticket ticket = at == now_ ? append(entry) : insert<false>(at, now_, entry);
        if (at < waits_until_) {
            ask_kernel(at);
        }
        return ticket;
    }
    /// As if it had been asked for at `asked`, which has passed (hw/tlm/machine.h).
    Ticket push_late(Ps at, Ps asked, const void* owner, Call call, void* object) {
        SOLIDTLM_CHECK(at >= now_, "what is asked for has not passed");
        const Ticket ticket = insert<true>(at, asked, Entry{call, object, 0, owner});
        if (at < waits_until_) {
            ask_kernel(at);
        }
        return ticket;
    }
    /// An entry for `at` that was asked for at `asked` comes before the one that runs.
    [[nodiscard]] bool passed(Ps at, Ps asked) const { return at < now() || (at == now() && asked < asked_); }
    /// The entry is void, if it has not run.
    void withdraw(Ticket ticket);
    /// All entries of `owner` are void: it lost power.
    void drop(const void* owner);
    /// True if no other entry is due at this instant, so that the caller may do its follow-up directly
    /// instead of scheduling it.
    [[nodiscard]] bool quiet() const {
        return first_ == end_ && (future_.empty() || future_.back().at != now_);
    }
    /// What an entry at `at` would do as the only one of its instant, its caller may do as the last thing of
    /// its own: that instant has passed (hw/tlm/machine.h), or the agenda is quiet.
    [[nodiscard]] bool settled(Ps at) const {
        return at < now() || (at == now_ && running_time == &now_ && !interposed_ && quiet());
    }
    /// While alive, what runs comes before the rest of the entry that runs.
    class Interposed {
      public:
        explicit Interposed(Agenda& agenda)
            : agenda_(agenda), before_(std::exchange(agenda.interposed_, true)) {}
        Interposed(const Interposed&) = delete;
        Interposed& operator=(const Interposed&) = delete;
        ~Interposed() { agenda_.interposed_ = before_; }

      private:
        Agenda& agenda_;
        bool before_;
    };

    /// How far it may run ahead of the kernel; 0: it stays in step.
    void set_quantum(Ps quantum);
    /// Pauses the simulation (sc_pause) when the entry that runs has ended, at the agenda's time.
    void pause() { pausing_ = true; }
    /// While alive, an entry calls somebody who does not share the agenda: time is the kernel's, and `delay`
    /// says how far the agenda is ahead of it. The kernel may have new events afterwards.
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

    /// A thread runs the agenda instead of its own process: it calls begin() first, then step() whenever it
    /// has nothing to do. Before the simulation starts, once.
    void take_over();
    /// From now on time is the agenda's.
    void begin();
    /// Runs the next entry, or lets the kernel go on until there is one.
    void step() {
        if (!run_next()) {
            wait_for_kernel();
        }
    }

    /// Entries run so far.
    [[nodiscard]] std::uint64_t runs() const { return runs_; }
    /// How often its process was woken by the kernel.
    [[nodiscard]] std::uint64_t wake_ups() const { return wake_ups_; }

  private:
    struct Entry {
        Call call = nullptr;  ///< null: void
        void* object = nullptr;
        std::uint64_t word = 0;
        const void* owner = nullptr;
    };
    /// An entry for later; those that are free are linked.
    struct Node {
        Entry entry;
        Ps asked{0};  ///< for when
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
    /// In a ticket: its entry is one of the instant that runs, the rest is its number; else the lowest bits
    /// are its node.
    static constexpr Ticket kOfThisInstant = Ticket{1} << 63U;

    void before_end_of_elaboration() override;
    void agenda_method();

    void grow_nodes();
    void grow_instant();

    Ticket append(const Entry& entry) {
        if (end_ - first_ == instant_.size()) {
            grow_instant();
        }
        instant_[end_ & (instant_.size() - 1)] = entry;
        return kOfThisInstant | end_++;
    }
    /// Behind all entries up to that instant that were asked for by then, the next of which stands last. What
    /// is asked for most often comes soon: few others have to make room.
    template <bool kLate>
    Ticket insert(Ps at, Ps asked, const Entry& entry) {
        if (free_ == kNoNode) {
            grow_nodes();
        }
        const std::uint32_t node = free_;
        free_ = nodes_[node].next_free;
        const Ticket ticket = (next_ticket_ += kNodes) | node;
        nodes_[node].entry = entry;
        nodes_[node].ticket = ticket;
        nodes_[node].asked = asked;
        const Key key{at, node};
        future_.push_back(key);
        std::size_t place = future_.size() - 1;
        for (; place > 0 && future_[place - 1].at <= at; --place) {
            if (kLate && future_[place - 1].at == at && nodes_[future_[place - 1].node].asked > asked) {
                break;
            }
            future_[place] = future_[place - 1];
        }
        future_[place] = key;
        return ticket;
    }
    /// The next one for later; its node is free then.
    Entry pop_future() {
        Node& node = nodes_[future_.back().node];
        node.ticket = 0;
        asked_ = node.asked;
        node.next_free = free_;
        free_ = future_.back().node;
        future_.pop_back();
        return node.entry;
    }
    /// False: the entry is void.
    bool run(const Entry& entry) {
        if (entry.call == nullptr) {
            return false;
        }
        ++runs_;
        entry.call(entry.object, entry.word);
        return true;
    }
    /// Entries that were asked for before their instant came go first.
    bool run_next() {
        while (!pausing_) {
            if (!future_.empty() && future_.back().at == now_) {
                if (run(pop_future())) {
                    return true;
                }
            } else if (first_ != end_) {
                const Entry entry = instant_[first_++ & (instant_.size() - 1)];
                asked_ = now_;
                if (run(entry)) {
                    return true;
                }
            } else if (!begin_next_instant()) {
                return false;
            }
        }
        return false;
    }
    /// Moves time to the next entry that is not void, if it may go so far.
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
    /// Somebody outside has asked for something sooner than the kernel would come back.
    void ask_kernel(Ps at);
    /// Time is the kernel's again, which is told how far it has to come before the agenda may go on.
    void end();
    void wait_for_kernel();
    [[nodiscard]] Ps look_ahead() const;

    static constexpr Ps kRuns = Ps::min();  ///< it waits for nothing
    std::vector<Key> future_;               ///< the next one last; some dozens
    std::vector<Node> nodes_;
    std::uint32_t free_ = kNoNode;  ///< list of nodes
    std::vector<Entry> instant_;    ///< of the instant that runs: a ring, a power of two of places
    std::uint64_t first_ = 0;       ///< number of the next of them; they are counted through
    std::uint64_t end_ = 0;
    Ps now_{0};    ///< of the entry that runs or ran last
    Ps asked_{0};  ///< when that one was asked for
    bool interposed_ = false;
    Ps horizon_{-1};  ///< it may run to here, inclusive
    Ps quantum_{0};
    Ps waits_until_{kRuns};  ///< for the kernel
    Ticket next_ticket_ = 0;
    bool pausing_ = false;
    bool taken_over_ = false;
    std::uint64_t runs_ = 0;
    std::uint64_t wake_ups_ = 0;
    sc_core::sc_event due_{"due_event"};
};

}  // namespace solidtlm::hw
