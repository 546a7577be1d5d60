// Fixed-size memory of the newest records; older ones are forgotten, so history does not grow with a loop.
#pragma once

#include <cstddef>
#include <vector>

namespace ascsan::order {

template <typename T>
class Ring {
 public:
  explicit Ring(size_t capacity) : capacity_(capacity) {}
  /// The place of the next item, which the caller fills; it may hold the values of a forgotten one.
  T& push() {
    if (items_.size() < capacity_) items_.emplace_back();
    T& item = items_[next_];
    next_ = next_ + 1 == capacity_ ? 0 : next_ + 1;
    return item;
  }
  void clear() {
    items_.clear();
    next_ = 0;
  }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  /// i = 0 is the newest.
  const T& newest(size_t i = 0) const {
    const size_t back = next_ + items_.size() - 1 - i;
    return items_[items_.size() < capacity_ ? items_.size() - 1 - i : back % capacity_];
  }
  /// True when something was forgotten.
  bool full() const { return items_.size() == capacity_; }

 private:
  size_t capacity_, next_ = 0;
  std::vector<T> items_;
};

}  // namespace ascsan::order
