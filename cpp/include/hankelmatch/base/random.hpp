// A small generator of random numbers, the same on every platform.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace hankelmatch {

/// xoshiro256**, seeded by splitmix64; D. Blackman, S. Vigna: Scrambled linear pseudorandom number
/// generators. ACM Transactions on Mathematical Software 47 (2021).
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = (seed ^ (seed >> 30U)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31U);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1), with 24 random bits.
  float uniform() { return static_cast<float>(next() >> 40U) * 0x1p-24F; }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace hankelmatch
