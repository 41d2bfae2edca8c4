#include "bough/model/encoders/bilstm_encoder.h"

#include "bough/model/layers/functions.h"

namespace bough {

namespace {

using torch::Tensor;

/// Which word each packed row of a reading is, and where each word's row is.
struct Reading {
  std::vector<int64_t> word_of_row;
  Tensor row_of_word;

  Reading(const PackedSteps& steps, const RowLayout& layout, bool forwards, torch::Device device)
      : word_of_row(static_cast<size_t>(layout.rows())) {
    std::vector<int64_t> rows(word_of_row.size());
    for (int64_t s = 0; s < steps.sentences(); ++s) {
      std::span<const int64_t> words = layout.rows_of(steps.source[static_cast<size_t>(s)]);
      for (size_t step = 0; step < words.size(); ++step) {
        int64_t word = forwards ? words[step] : words[words.size() - 1 - step];
        int64_t row = steps.offset_at[step] + s;
        word_of_row[static_cast<size_t>(row)] = word;
        rows[static_cast<size_t>(word)] = row;
      }
    }
    row_of_word = torch::tensor(rows, torch::kInt64).to(device);
  }
};

}  // namespace

template <typename ReadLayer>
BilstmEncoder::Encoded BilstmEncoder::read(const SourceWords& sources, const DropoutMasks& masks,
                                           ReadLayer read_layer) const {
  const RowLayout& layout = sources.layout;
  Dropout dropout(masks, layout, Dropout::Part::kSource);
  torch::Device device = embedding.device();
  std::vector<int64_t> lengths, first_words, last_words;
  for (int64_t s = 0; s < layout.sentences(); ++s) {
    lengths.push_back(layout.length(s));
    first_words.push_back(layout.rows_of(s).front());
    last_words.push_back(layout.rows_of(s).back());
  }
  PackedSteps steps = pack_steps(lengths);
  Reading forwards(steps, layout, true, device);
  Reading backwards(steps, layout, false, device);
  Tensor state;        // [words, 2·hidden]
  Tensor left, right;  // its halves
  auto read_one = [&](const LstmLayer& layer, const Reading& reading) {
    Tensor input;
    if (state.defined()) {
      input = state.index_select(0, torch::tensor(reading.word_of_row, torch::kInt64).to(device));
    } else {
      std::vector<int64_t> words;
      for (int64_t word : reading.word_of_row) {
        words.push_back(sources.words[static_cast<size_t>(word)]);
      }
      input = gather_rows(embedding, words);
    }
    return read_layer(input, layer, steps).index_select(0, reading.row_of_word);
  };
  for (const BilstmLayer& layer : layers) {
    if (state.defined()) state = dropout(state);
    left = read_one(layer.forwards, forwards);
    right = read_one(layer.backwards, backwards);
    state = torch::cat({left, right}, 1);
  }
  Tensor ends = torch::tensor(last_words, torch::kInt64).to(device);
  Tensor begins = torch::tensor(first_words, torch::kInt64).to(device);
  Tensor whole = torch::cat({left.index_select(0, ends), right.index_select(0, begins)}, 1);
  return {.words = state, .whole = whole};
}

BilstmEncoder::Encoded BilstmEncoder::encode(const SourceWords& sources,
                                             const DropoutMasks& masks) const {
  return read(sources, masks,
              [](const Tensor& input, const LstmLayer& layer, const PackedSteps& steps) {
                return packed_lstm(input, layer, steps, {});
              });
}

BilstmEncoder::Encoded BilstmEncoder::run(const SourceWords& sources, const DropoutMasks& masks,
                                          Precision precision) const {
  torch::NoGradGuard no_gradients;
  return read(sources, masks,
              [&](const Tensor& input, const LstmLayer& layer, const PackedSteps& steps) {
                return run_lstm(input, layer, steps, precision);
              });
}

}  // namespace bough
