// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/btree/btree.h"

#include <fmt/format.h>

#include "fw/hal/check.h"

namespace solidtlm::testbench::btree {

/// State of a check: the previous key, and the leaf that the previous leaf links to.
struct Btree::Walk {
    std::uint64_t keys = 0;
    std::optional<Key> last;
    std::optional<PageId> next_leaf;
};

Btree::Btree(BufferManager& buffer, const TreeShape& shape)
    : buffer_(buffer), shape_(shape), capacity_(shape.capacity(buffer.page_bytes())) {
    SOLIDTLM_CHECK(capacity_ >= 2, "a page has room for two entries");
    PageId root{};
    {
        const BufferManager::Pin pin = new_page(0);
        root = pin.page();
    }
    set_root(root);
}

Btree::Btree(BufferManager& buffer, const TreeShape& shape, const TreeRoot& root)
    : buffer_(buffer), shape_(shape), capacity_(shape.capacity(buffer.page_bytes())), pages_(root.pages) {
    set_root(root.page);
    height_ = view(buffer_.fetch(root_)).level() + 1;
}

bool Btree::insert(Key key, Value value) {
    path_.clear();
    PageId page = root_;
    while (true) {
        BufferManager::Pin pin = buffer_.fetch(page);
        const ConstNode node = view(pin);
        if (!node.leaf()) {
            path_.push_back(page);
            page = node.child_for(key);
            continue;
        }
        const std::uint32_t index = node.keys_up_to(key);
        if (index > 0 && node.key(index - 1) == key) {
            change(pin).set_value(index - 1, value);
            return false;
        }
        if (node.entries() < capacity_) {
            change(pin).insert(index, key, value);
            return true;
        }
        const Separator separator = split(pin, index, key, value);
        add_to_parent(page, separator);
        return true;
    }
}

std::optional<Value> Btree::search(Key key) {
    PageId page = root_;
    while (true) {
        const BufferManager::Pin pin = buffer_.fetch(page);
        const ConstNode node = view(pin);
        if (!node.leaf()) {
            page = node.child_for(key);
            continue;
        }
        const std::uint32_t index = node.keys_up_to(key);
        return index > 0 && node.key(index - 1) == key ? std::optional(node.value(index - 1)) : std::nullopt;
    }
}

BufferManager::Pin Btree::new_page(std::uint32_t level) {
    BufferManager::Pin pin = buffer_.create(PageId{pages_++});
    Node node = change(pin);
    node.set_level(level);
    node.set_link(kNoPage);
    return pin;
}

void Btree::set_root(PageId page) {
    root_ = page;
    if (shape_.pin_root) {
        pinned_root_.reset();
        pinned_root_.emplace(buffer_.fetch(page));
    }
}

Btree::Separator Btree::split(BufferManager::Pin& full, std::uint32_t index, Key key, std::uint32_t value) {
    ++splits_;
    const std::uint32_t entry = shape_.entry_bytes;
    Node left = change(full);
    const std::span<const std::byte> entries = left.tail(0);
    overfull_.assign(kHeaderBytes + entries.size() + entry, std::byte{0});
    Node all(overfull_, entry);
    all.assign(entries);
    all.insert(index, key, value);
    const std::uint32_t kept = (capacity_ + 2) / 2;  // half of capacity_ + 1, rounded up
    BufferManager::Pin pin = new_page(left.level());
    Node right = change(pin);
    const Separator separator{all.key(left.leaf() ? kept : kept - 1), pin.page()};
    right.assign(all.tail(kept));
    if (left.leaf()) {
        right.set_link(left.link());
        left.set_link(pin.page());
        left.truncate(0);
        left.assign(all.tail(0).first(std::size_t{kept} * entry));
    } else {  // the middle key moves up, and its child becomes the leftmost one
        right.set_link(all.child(kept - 1));
        left.truncate(0);
        left.assign(all.tail(0).first(std::size_t{kept - 1} * entry));
    }
    return separator;
}

void Btree::add_to_parent(PageId left, Separator separator) {
    while (true) {
        if (path_.empty()) {
            PageId root{};
            {
                BufferManager::Pin pin = new_page(height_);
                Node node = change(pin);
                node.set_link(left);
                node.insert(0, separator.key, separator.right.value);
                root = pin.page();
            }
            set_root(root);
            ++height_;
            return;
        }
        left = path_.back();
        path_.pop_back();
        BufferManager::Pin pin = buffer_.fetch(left);
        const std::uint32_t index = view(pin).keys_up_to(separator.key);
        if (view(pin).entries() < capacity_) {
            change(pin).insert(index, separator.key, separator.right.value);
            return;
        }
        separator = split(pin, index, separator.key, separator.right.value);
    }
}

std::string Btree::check(std::uint64_t keys) {
    Walk walk;
    std::string wrong = check_page(root_, height_ - 1, walk);
    if (!wrong.empty()) {
        return wrong;
    }
    if (walk.next_leaf.value_or(kNoPage) != kNoPage) {
        return fmt::format("the last leaf has a neighbour, page {}", walk.next_leaf->value);
    }
    return walk.keys == keys ? "" : fmt::format("{} keys, not {}", walk.keys, keys);
}

std::string Btree::check_page(PageId page, std::uint32_t level, Walk& walk) {
    std::vector<PageId> children;
    {
        const BufferManager::Pin pin = buffer_.fetch(page);
        const ConstNode node = view(pin);
        if (node.level() != level || node.entries() > capacity_) {
            return fmt::format("page {} has level {} and {} entries", page.value, node.level(),
                               node.entries());
        }
        if (node.leaf()) {
            if (walk.next_leaf.value_or(page) != page) {
                return fmt::format("leaf {} is not linked", page.value);
            }
            walk.next_leaf = node.link();
            walk.keys += node.entries();
        } else {
            children.push_back(node.link());
        }
        for (std::uint32_t i = 0; i < node.entries(); ++i) {
            if (node.leaf()) {
                if (walk.last && *walk.last >= node.key(i)) {
                    return fmt::format("key {} of leaf {} is out of order", node.key(i), page.value);
                }
                walk.last = node.key(i);
            } else {
                children.push_back(node.child(i));
            }
        }
    }
    for (const PageId child : children) {
        std::string wrong = child.value < pages_ && level > 0
                                ? check_page(child, level - 1, walk)
                                : fmt::format("page {} has no child {}", page.value, child.value);
        if (!wrong.empty()) {
            return wrong;
        }
    }
    return {};
}

}  // namespace solidtlm::testbench::btree
