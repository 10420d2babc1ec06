// A hint to the processor: this address will be read soon.
#pragma once

namespace hankelmatch {

/// Asks for an address to be loaded. Does nothing where the compiler has no such instruction.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
}

}  // namespace hankelmatch
