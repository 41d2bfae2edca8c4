// The conditions under which a run computes, as far as its numbers depend on them.
//
// Draws are named and don't change. But each thread has sums of its own, and each instruction set
// adds in another order: a run that goes on with others has other last bits, and before long other
// weights. It is as good a run, not the same one.
#pragma once

#include <cstdint>
#include <string>

namespace bough {

struct Conditions {
  int64_t threads = 0;  // 0: from before runs remembered it
  std::string kernels;  // the instruction set, or the device
  std::string version;  // of bough

  /// Those of this process. `device` is cpu, cuda or cuda:N.
  static Conditions now(const std::string& device);
};

/// What a run that was trained under the one and goes on under the other can promise and what it
/// can't; empty where nothing has changed.
std::string change_of_conditions(const Conditions& then, const Conditions& now);

}  // namespace bough
