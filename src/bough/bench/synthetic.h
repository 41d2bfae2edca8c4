// A corpus that needs no data: Zipf's words, Persona-Chat's lengths.
#pragma once

#include "bough/data/dataset.h"

namespace bough {

struct SyntheticCorpus {
  int64_t sentences = 10'000;
  int64_t vocabulary = 20'090;  // specials included
  int64_t length = 0;           // of every sentence; 0: lengths as in Persona-Chat
  uint64_t seed = 1;

  Dataset make() const;
};

}  // namespace bough
