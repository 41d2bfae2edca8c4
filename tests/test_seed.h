// The seed of models that tests train: BOUGH_TEST_SEED, or 1. What is asked of a trained model has
// to hold for any seed; `make test-machines` tries five.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace bough {

inline int64_t test_seed() {
  const char* seed = std::getenv("BOUGH_TEST_SEED");
  return seed != nullptr ? std::stoll(seed) : 1;
}

}  // namespace bough
