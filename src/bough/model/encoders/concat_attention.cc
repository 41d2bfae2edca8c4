#include "bough/model/encoders/concat_attention.h"

#include "bough/model/kernels/attention.h"
#include "bough/model/kernels/dispatch.h"
#include "bough/model/kernels/rows.h"
#include "bough/model/layers/functions.h"
#include "bough/model/layers/packed_linear.h"
#include "bough/model/team.h"

namespace bough {

namespace {

using torch::Tensor;
using torch::autograd::variable_list;

/// What attention computes from and remembers; rows hold two numbers of `hidden` width side by
/// side: query and own part, key and value.
struct Rows {
  Tensor states;  // [rows, 2·hidden]
  Tensor words;   // [words, 2·hidden]
  Tensor score;   // [hidden]
  RowLayout state_rows;
  RowLayout word_rows;

  int64_t hidden() const { return score.size(0); }
  const float* state(int64_t row) const { return states.data_ptr<float>() + row * 2 * hidden(); }
  const float* word(int64_t row) const { return words.data_ptr<float>() + row * 2 * hidden(); }
  /// Where each sentence's [rows, words] weights begin.
  std::vector<int64_t> weights_begin() const {
    std::vector<int64_t> begin{0};
    for (int64_t s = 0; s < state_rows.sentences(); ++s) {
      begin.push_back(begin.back() + state_rows.length(s) * word_rows.length(s));
    }
    return begin;
  }
  bool worth_threads(const std::vector<int64_t>& begin) const {
    return begin.back() * hidden() > 4 * kWorthAThread;
  }
};

/// One state's output [hidden], and the weights of the `count` words from `words` on.
void attend_row(const float* state, const float* words, int64_t count, const float* score,
                int64_t hidden, float* weights, float* output) {
  auto width = static_cast<size_t>(hidden);
  for (int64_t j = 0; j < count; ++j) {
    weights[j] = tanh_score({state, width}, words + j * 2 * hidden, score);
  }
  std::span<float> all(weights, static_cast<size_t>(count));
  scale(all, 1.0F / exponentiate(all).sum);
  mix_values(weights, count, words + hidden, 2 * hidden, hidden, output);
  for (int64_t c = 0; c < hidden; ++c) output[c] += state[hidden + c];
  squash({output, width});
}

/// The output; fills the weights.
Tensor attend_forward(const Rows& rows, std::vector<float>& weights) {
  int64_t hidden = rows.hidden();
  const float* score = rows.score.data_ptr<float>();
  Tensor output = torch::empty({rows.states.size(0), hidden});
  std::vector<int64_t> begin = rows.weights_begin();
  weights.resize(static_cast<size_t>(begin.back()));
  auto attend_sentence = [&](int64_t s) {
    std::span<const int64_t> words = rows.word_rows.rows_of(s);  // one behind the other
    float* own = weights.data() + begin[static_cast<size_t>(s)];
    for (int64_t row : rows.state_rows.rows_of(s)) {
      attend_row(rows.state(row), rows.word(words.front()), static_cast<int64_t>(words.size()),
                 score, hidden, own, output.data_ptr<float>() + row * hidden);
      own += words.size();
    }
  };
  team_for(rows.state_rows.sentences(), rows.worth_threads(begin), Share::kAsFree, attend_sentence);
  return output;
}

/// Gradients of the states, of the words and, added to its .grad, of v. The tanh of every pair of a
/// state and a word is worked out again: kept, it would take `hidden` numbers a pair.
class ConcatBackward : public torch::autograd::Node {
 public:
  ConcatBackward(const Tensor& states, const Tensor& words, Rows rows, std::vector<float> weights,
                 Tensor output)
      : Node(torch::autograd::collect_next_edges(states, words)),
        rows_(std::move(rows)),
        weights_(std::move(weights)),
        output_(std::move(output)) {}

  variable_list apply(variable_list&& gradients) override {
    torch::NoGradGuard no_gradients;
    Tensor d_output = gradients[0].contiguous() * (1.0 - output_ * output_);  // before the tanh
    Tensor d_states = torch::zeros_like(rows_.states);
    Tensor d_words = torch::zeros_like(rows_.words);
    Tensor d_score = torch::zeros({rows_.state_rows.sentences(), rows_.hidden()});
    std::vector<int64_t> begin = rows_.weights_begin();
    team_for(rows_.state_rows.sentences(), rows_.worth_threads(begin), Share::kAsFree,
             [&](int64_t s) {
               go_back(s, weights_.data() + begin[static_cast<size_t>(s)], d_output, d_states,
                       d_words, d_score);
             });
    gradient_of(rows_.score).add_(d_score.sum(0));
    release_variables();
    return {d_states, d_words};
  }

  void release_variables() override {
    for (Tensor* tensor : {&rows_.states, &rows_.words, &output_}) *tensor = Tensor();
    weights_.clear();
  }

 private:
  void go_back(int64_t sentence, const float* weights, const Tensor& d_output,
               const Tensor& d_states, const Tensor& d_words, const Tensor& d_score) const {
    int64_t hidden = rows_.hidden();
    auto width = static_cast<size_t>(hidden);
    std::span<const int64_t> words = rows_.word_rows.rows_of(sentence);
    std::vector<float> d_weights(words.size());
    for (int64_t row : rows_.state_rows.rows_of(sentence)) {
      std::span<const float> d_mix(d_output.data_ptr<float>() + row * hidden, width);
      float* d_state = d_states.data_ptr<float>() + row * 2 * hidden;
      std::copy(d_mix.begin(), d_mix.end(), d_state + hidden);
      float mean = 0.0F;
      for (size_t j = 0; j < words.size(); ++j) {
        d_weights[j] = dot(d_mix, {rows_.word(words[j]) + hidden, width});
        mean += weights[j] * d_weights[j];
      }
      for (size_t j = 0; j < words.size(); ++j) {
        float* d_word = d_words.data_ptr<float>() + words[j] * 2 * hidden;
        for (int64_t c = 0; c < hidden; ++c) {
          d_word[hidden + c] += weights[j] * d_mix[static_cast<size_t>(c)];
        }
        tanh_score_backward({.size = hidden,
                             .gradient = weights[j] * (d_weights[j] - mean),
                             .query = rows_.state(row),
                             .key = rows_.word(words[j]),
                             .score = rows_.score.data_ptr<float>(),
                             .d_query = d_state,
                             .d_key = d_word,
                             .d_score = d_score.data_ptr<float>() + sentence * hidden});
      }
      weights += words.size();
    }
  }

  Rows rows_;
  std::vector<float> weights_;  // of all pairs, sentence by sentence and state by state
  Tensor output_;
};

/// By LibTorch's operators alone.
Tensor plain_attend(const Rows& rows) {
  int64_t hidden = rows.hidden();
  std::vector<Tensor> outputs;
  std::vector<int64_t> place(static_cast<size_t>(rows.state_rows.rows()));  // in `outputs`
  int64_t next = 0;
  for (int64_t s = 0; s < rows.state_rows.sentences(); ++s) {
    std::span<const int64_t> own = rows.state_rows.rows_of(s);
    for (int64_t row : own) place[static_cast<size_t>(row)] = next++;
    std::vector<int64_t> index(own.begin(), own.end());
    Tensor states =
        rows.states.index_select(0, torch::tensor(index, torch::kInt64).to(rows.score.device()));
    Tensor words =
        rows.words.narrow(0, rows.word_rows.rows_of(s).front(), rows.word_rows.length(s));
    Tensor pairs = states.narrow(1, 0, hidden).unsqueeze(1) + words.narrow(1, 0, hidden);
    Tensor weights = torch::softmax(torch::matmul(torch::tanh(pairs), rows.score), 1);
    outputs.push_back(torch::tanh(states.narrow(1, hidden, hidden) +
                                  torch::matmul(weights, words.narrow(1, hidden, hidden))));
  }
  return torch::cat(outputs).index_select(
      0, torch::tensor(place, torch::kInt64).to(rows.score.device()));
}

}  // namespace

Tensor ConcatAttention::attend(const Tensor& states, const RowLayout& state_rows,
                               const Tensor& words, const RowLayout& word_rows) const {
  Tensor from_states = packed_linear(state, states);
  Tensor from_words = packed_linear(source, words);
  if (!uses_kernels(states)) {
    return plain_attend({from_states, from_words, score, state_rows, word_rows});
  }
  Rows rows{from_states.detach(), from_words.detach(), score, state_rows, word_rows};
  std::vector<float> weights;
  Tensor output = attend_forward(rows, weights);
  if (torch::GradMode::is_enabled() && from_states.requires_grad()) {
    auto node = std::make_shared<ConcatBackward>(from_states, from_words, std::move(rows),
                                                 std::move(weights), output.detach());
    torch::autograd::create_gradient_edge(output, node);
  }
  return output;
}

std::vector<ConcatMemory> ConcatAttention::remember(const Tensor& words, const RowLayout& word_rows,
                                                    Precision precision) const {
  int64_t width = 2 * hidden();
  std::vector<float> numbers(static_cast<size_t>(words.size(0) * width));
  source.packed.get(precision).add_product(words.data_ptr<float>(), words.size(0), numbers.data());
  std::vector<ConcatMemory> memories;
  for (int64_t s = 0; s < word_rows.sentences(); ++s) {
    const float* first = numbers.data() + word_rows.rows_of(s).front() * width;
    memories.emplace_back(first, first + word_rows.length(s) * width);
  }
  return memories;
}

void ConcatAttention::run(const float* states, const std::vector<const ConcatMemory*>& memories,
                          Precision precision, std::vector<float>& output) const {
  auto rows = static_cast<int64_t>(memories.size());
  int64_t width = hidden();
  std::vector<float> from_states(static_cast<size_t>(rows * 2 * width));
  state.packed.get(precision).add_product(states, rows, from_states.data());
  output.resize(static_cast<size_t>(rows * width));
  auto run_row = [&](int64_t row, std::vector<float>& weights) {
    const ConcatMemory& words = *memories[static_cast<size_t>(row)];
    auto count = static_cast<int64_t>(words.size()) / (2 * width);
    weights.resize(static_cast<size_t>(count));
    attend_row(from_states.data() + row * 2 * width, words.data(), count, score.data_ptr<float>(),
               width, weights.data(), output.data() + row * width);
  };
  team_for(
      rows, rows * width > kWorthAThread / 4, Share::kAsFree, [] { return std::vector<float>(); },
      run_row);
}

}  // namespace bough
