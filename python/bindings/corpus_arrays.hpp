// The arrays of a corpus, from numpy to the core.
#pragma once

#include <cstdint>
#include <hankelmatch/base/interrupt.hpp>
#include <hankelmatch/text/corpus.hpp>

#include "bindings.hpp"
#include "steady_array.hpp"

namespace hankelmatch::bindings {

class CorpusArrays {
 public:
  CorpusArrays(const Array<std::int32_t>& symbols, const Array<std::int64_t>& offsets)
      : symbols_(symbols), offsets_(offsets) {}

  /// Without the GIL. Throws invalid_argument if they contradict each other.
  CorpusView checked(Interrupt& interrupt) {
    const CorpusView corpus{symbols_.view(interrupt), offsets_.view(interrupt)};
    validate(corpus);
    return corpus;
  }

 private:
  SteadyArray<std::int32_t> symbols_;
  SteadyArray<std::int64_t> offsets_;
};

}  // namespace hankelmatch::bindings
