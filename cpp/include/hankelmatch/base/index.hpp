// Ids are signed, indices into vectors are not: a short name for the cast between them.
#pragma once

#include <cstddef>

namespace hankelmatch {

template <class Id>
constexpr std::size_t at(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace hankelmatch
