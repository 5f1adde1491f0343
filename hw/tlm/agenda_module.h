// SPDX-License-Identifier: Apache-2.0
//
// The base class of modules that work when an agenda calls them, instead of in processes of their own.
#pragma once

#include <memory>
#include <systemc>
#include <type_traits>

#include "hw/tlm/agenda.h"

namespace solidtlm::hw {

namespace detail {

template <class M>
struct MemberOf;
template <class M>
struct MemberOf<void (M::*)()> {
    using Module = M;
    static constexpr bool kTakesWord = false;
};
template <class M>
struct MemberOf<void (M::*)(std::uint64_t)> {
    using Module = M;
    static constexpr bool kTakesWord = true;
    static std::uint64_t argument(std::uint64_t word) { return word; }
};
template <class M, class T>
struct MemberOf<void (M::*)(T*)> {
    using Module = M;
    static constexpr bool kTakesWord = true;
    static T* argument(std::uint64_t word) { return reinterpret_cast<T*>(static_cast<std::uintptr_t>(word)); }
};

/// Packs an argument into the word of an agenda entry.
inline std::uint64_t word_of(std::uint64_t word) {
    return word;
}
inline std::uint64_t word_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Calls a member function `void work()`, `void work(std::uint64_t)` or `void work(T*)` of `object`.
template <auto kMember>
void call_member(void* object, [[maybe_unused]] std::uint64_t word) {
    using Member = MemberOf<decltype(kMember)>;
    auto* module = static_cast<typename Member::Module*>(object);
    if constexpr (Member::kTakesWord) {
        (module->*kMember)(Member::argument(word));
    } else {
        (module->*kMember)();
    }
}

}  // namespace detail

/// Names the member function of a module that is to be called: kCall<&Module::work>.
template <auto kMember>
struct CallOf {
    [[nodiscard]] static constexpr Agenda::Call function() { return detail::call_member<kMember>; }
};
template <auto kMember>
inline constexpr CallOf<kMember> kCall{};

/// A module that an agenda calls. It shares the agenda of the nearest AgendaModule above it in the hierarchy;
/// without one, it has an agenda of its own, so that every block also works alone.
class AgendaModule : public sc_core::sc_module {
  public:
    [[nodiscard]] Agenda& agenda() const { return *agenda_; }

    /// Calls `call(object, word)` at `at`; `object` is the module or one of its parts. REQUIRES: as
    /// Agenda::push().
    Agenda::Ticket push(Ps at, Agenda::Call call, void* object, std::uint64_t word = 0) {
        ++entries_scheduled_;
        return agenda_->push(at, this, call, object, word);
    }
    /// See Agenda::push_first().
    Agenda::Ticket push_first(Ps at, Agenda::Call call, void* object) {
        ++entries_scheduled_;
        return agenda_->push_first(at, this, call, object);
    }
    /// Agenda entries that the module has requested so far.
    [[nodiscard]] std::uint64_t entries_scheduled() const { return entries_scheduled_; }

  protected:
    /// `agenda`: that of another module, to be shared; null: as described above.
    explicit AgendaModule(const sc_core::sc_module_name& name, Agenda* agenda = nullptr)
        : sc_module(name), agenda_(agenda) {
        for (const sc_core::sc_object* above = get_parent_object(); above != nullptr && agenda_ == nullptr;
             above = above->get_parent_object()) {
            if (const auto* module = dynamic_cast<const AgendaModule*>(above); module != nullptr) {
                agenda_ = module->agenda_;
            }
        }
        if (agenda_ == nullptr) {
            own_ = std::make_unique<Agenda>("agenda");
            agenda_ = own_.get();
        }
    }
    /// Calls `(this->*kMember)()` or, with an argument (a word or a pointer), `(this->*kMember)(argument)` at
    /// `when`.
    template <auto kMember, class... Argument>
    void at(Ps when, Argument... argument) {
        using Module = typename detail::MemberOf<decltype(kMember)>::Module;
        static_assert(std::is_invocable_v<decltype(kMember), Module*, Argument...>);
        push(when, detail::call_member<kMember>, static_cast<Module*>(this), detail::word_of(argument)...);
    }
    /// Voids every entry that the module has requested: it lost power.
    void drop_work() { agenda_->drop(this); }

  private:
    std::unique_ptr<Agenda> own_;
    Agenda* agenda_;
    std::uint64_t entries_scheduled_ = 0;
};

}  // namespace solidtlm::hw
