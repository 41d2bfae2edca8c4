// The encoder of the paper's additional LSTM policy: reads the words of a source forwards and
// backwards, and gives a vector of both readings for each word and one for the whole.
#pragma once

#include <span>
#include <vector>

#include "bough/model/packed_lstm.h"
#include "bough/model/policy.h"
#include "bough/model/source_words.h"

namespace bough {

struct BilstmLayer {
  LstmLayer forwards;
  LstmLayer backwards;
};

struct BilstmEncoder {
  struct Encoded {
    torch::Tensor words;  // [words, 2·hidden], source by source
    torch::Tensor whole;  // [sources, 2·hidden] how each direction's reading ended
  };

  /// With gradients; `first_mask` names the first of the dropout masks between layers.
  Encoded encode(const SourceWords& sources, const DropoutMasks& masks, uint64_t first_mask) const;

  /// The same for steppers: without gradients, each source by itself, to the last bit.
  Encoded run(const SourceWords& sources, const DropoutMasks& masks, uint64_t first_mask) const;

  torch::Tensor embedding;  // [source vocabulary, embedding]
  std::vector<BilstmLayer> layers;

 private:
  template <typename ReadLayer>
  Encoded read(const SourceWords& sources, const DropoutMasks& masks, uint64_t first_mask,
               ReadLayer read_layer) const;
};

}  // namespace bough
