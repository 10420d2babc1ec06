#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <hankelmatch/text/corpus.hpp>
#include <stdexcept>
#include <vector>

using hankelmatch::CorpusView;
using hankelmatch::validate;

TEST_CASE("a corpus view cuts its symbols at the offsets") {
  const std::array<std::int32_t, 4> symbols{5, 6, 7, 8};
  const std::array<std::int64_t, 4> offsets{0, 3, 3, 4};
  const CorpusView corpus{symbols, offsets};
  validate(corpus);
  CHECK(corpus.n_sequences() == 3);
  CHECK(corpus.sequence(0).size() == 3);
  CHECK(corpus.sequence(1).empty());
  CHECK(corpus.sequence(2)[0] == 8);
  CHECK(CorpusView{}.n_sequences() == 0);
}

TEST_CASE("offsets that do not fit the symbols are refused") {
  const std::array<std::int32_t, 2> symbols{0, 1};
  for (const auto& offsets :
       std::vector<std::vector<std::int64_t>>{{}, {1, 2}, {0, 2, 1, 2}, {0, 1}, {0, 3}, {0, -1, 2}}) {
    CHECK_THROWS_AS(validate(CorpusView{symbols, offsets}), std::invalid_argument);
  }
}
