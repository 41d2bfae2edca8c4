// The encoder of the paper's additional LSTM policy: reads the words of a source forwards and
// backwards, and gives a vector of both readings for each word and one for the whole.
#pragma once

#include <span>
#include <vector>

#include "bough/model/encoders/source_words.h"
#include "bough/model/layers/dropout.h"
#include "bough/model/layers/packed_lstm.h"

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

  /// With gradients.
  Encoded encode(const SourceWords& sources, const DropoutMasks& masks) const;

  /// The same for steppers: without gradients, each source by itself, to the last bit.
  Encoded run(const SourceWords& sources, const DropoutMasks& masks, Precision precision) const;

  torch::Tensor embedding;  // [source vocabulary, embedding]
  std::vector<BilstmLayer> layers;

 private:
  template <typename ReadLayer>
  Encoded read(const SourceWords& sources, const DropoutMasks& masks, ReadLayer read_layer) const;
};

}  // namespace bough
