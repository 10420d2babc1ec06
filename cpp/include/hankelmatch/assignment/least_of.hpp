// The least of many numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

namespace hankelmatch {

/// The least of these numbers, none of which is nan. Four at a time do not wait for one another, and without
/// branches compilers make vector instructions of it.
template <std::size_t kSize>
  requires(kSize % 4 == 0)
double least_of(std::span<const double, kSize> values) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double a = kInfinity;
  double b = kInfinity;
  double c = kInfinity;
  double d = kInfinity;
  for (std::size_t i = 0; i < kSize; i += 4) {
    a = values[i] < a ? values[i] : a;
    b = values[i + 1] < b ? values[i + 1] : b;
    c = values[i + 2] < c ? values[i + 2] : c;
    d = values[i + 3] < d ? values[i + 3] : d;
  }
  return std::min(std::min(a, b), std::min(c, d));
}

}  // namespace hankelmatch
