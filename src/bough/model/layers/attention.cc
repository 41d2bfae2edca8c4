#include "bough/model/layers/attention.h"

#include <algorithm>
#include <cmath>

#include "bough/model/kernels/dispatch.h"
#include "bough/model/kernels/gemm.h"
#include "bough/model/kernels/rows.h"
#include "bough/model/layers/functions.h"
#include "bough/model/team.h"

namespace bough {

namespace {

using torch::Tensor;
using torch::autograd::variable_list;

/// One head's columns of one sentence's rows.
struct Slice {
  std::span<const int64_t> rows;
  int64_t width;  // of the whole matrix
  int64_t first;  // column
  int64_t columns;

  void read(const Tensor& matrix, std::vector<float>& slice) const {
    slice.resize(rows.size() * static_cast<size_t>(columns));
    const float* from = matrix.data_ptr<float>() + first;
    float* to = slice.data();
    for (int64_t row : rows) to = std::copy_n(from + row * width, columns, to);
  }
  void write(const std::vector<float>& slice, const Tensor& matrix) const {
    float* to = matrix.data_ptr<float>() + first;
    const float* from = slice.data();
    for (int64_t row : rows) {
      std::copy_n(from, columns, to + row * width);
      from += columns;
    }
  }
};

/// What attention has to remember of its rows, and the order of its work: (sentence, head) pairs.
struct HeadPairs {
  explicit HeadPairs(const AttentionRequest& request)
      : query_rows(request.query_rows),
        key_rows(request.key_rows),
        heads(request.heads),
        width(request.query.size(1)),
        causal(request.causal) {
    for (int64_t s = 0; s < query_rows.sentences(); ++s) {
      for (int64_t head = 0; head < heads; ++head) {
        begin.push_back(begin.back() + query_rows.length(s) * key_rows.length(s));
      }
    }
  }

  int64_t count() const { return static_cast<int64_t>(begin.size()) - 1; }
  Slice queries(int64_t pair) const { return slice_of(query_rows, pair); }
  Slice keys(int64_t pair) const { return slice_of(key_rows, pair); }
  bool worth_threads() const { return begin.back() * (width / heads) > 16 * kWorthAThread; }
  float scale() const { return 1.0F / std::sqrt(static_cast<float>(width / heads)); }

  RowLayout query_rows;
  RowLayout key_rows;
  int64_t heads;
  int64_t width;
  bool causal;
  std::vector<int64_t> begin{0};  // of each pair's [queries, keys] weights

 private:
  Slice slice_of(const RowLayout& layout, int64_t pair) const {
    int64_t columns = width / heads;
    return {layout.rows_of(pair / heads), width, pair % heads * columns, columns};
  }
};

MatrixView dense(const std::vector<float>& matrix, int64_t columns, bool transposed = false) {
  return {matrix.data(), columns, transposed};
}

/// Turns scores into weights; of keys that a query may not see into zeros.
void softmax_rows(float* scores, int64_t queries, int64_t keys, bool causal) {
  for (int64_t i = 0; i < queries; ++i) {
    std::span<float> row(scores + i * keys, static_cast<size_t>(keys));
    std::span<float> seen = causal ? row.first(static_cast<size_t>(i + 1)) : row;
    scale(seen, 1.0F / exponentiate(seen).sum);
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(seen.size()), row.end(), 0.0F);
  }
}

/// Gives the context; `weights` hold all pairs' one after the other.
Tensor attend_forward(const AttentionRequest& request, const HeadPairs& pairs,
                      const Tensor& weights) {
  Tensor context = torch::empty_like(request.query);
  struct Buffers {
    std::vector<float> query, key, value, result;
  };
  auto attend_pair = [&](int64_t pair, Buffers& buffers) {
    auto& [query, key, value, result] = buffers;
    Slice queries = pairs.queries(pair);
    Slice keys = pairs.keys(pair);
    auto n = static_cast<int64_t>(queries.rows.size());
    auto m = static_cast<int64_t>(keys.rows.size());
    int64_t width = queries.columns;
    queries.read(request.query, query);
    keys.read(request.key, key);
    keys.read(request.value, value);
    float* own = weights.data_ptr<float>() + pairs.begin[static_cast<size_t>(pair)];
    scale(query, pairs.scale());
    multiply_large(dense(query, width), dense(key, width, true), n, width, m, 0.0F, own);
    softmax_rows(own, n, m, pairs.causal);
    result.resize(query.size());
    multiply_large({own, m}, dense(value, width), n, m, width, 0.0F, result.data());
    queries.write(result, context);
  };
  team_for(
      pairs.count(), pairs.worth_threads(), Share::kAsFree, [] { return Buffers(); }, attend_pair);
  return context;
}

/// Gradients of the three matrices: of softmax's argument S it is W ∘ (dW − rowsum(W ∘ dW)).
class AttentionBackward : public torch::autograd::Node {
 public:
  AttentionBackward(const AttentionRequest& request, HeadPairs pairs, Tensor weights)
      : Node(torch::autograd::collect_next_edges(request.query, request.key, request.value)),
        pairs_(std::move(pairs)),
        query_(request.query.detach()),
        key_(request.key.detach()),
        value_(request.value.detach()),
        weights_(std::move(weights)) {}

  variable_list apply(variable_list&& gradients) override {
    torch::NoGradGuard no_gradients;
    Tensor d_context = gradients[0].contiguous();
    variable_list results = {torch::empty_like(query_), torch::empty_like(key_),
                             torch::empty_like(value_)};
    team_for(
        pairs_.count(), pairs_.worth_threads(), Share::kAsFree, [] { return Buffers(); },
        [&](int64_t pair, Buffers& own) { go_back(pair, d_context, results, own); });
    release_variables();
    return results;
  }

  void release_variables() override {
    for (Tensor* tensor : {&query_, &key_, &value_, &weights_}) *tensor = Tensor();
  }

 private:
  struct Buffers {
    std::vector<float> query, key, value, d_context, d_scores, result;
  };

  void go_back(int64_t pair, const Tensor& d_context, const variable_list& results,
               Buffers& buffers) const {
    Slice queries = pairs_.queries(pair);
    Slice keys = pairs_.keys(pair);
    auto n = static_cast<int64_t>(queries.rows.size());
    auto m = static_cast<int64_t>(keys.rows.size());
    int64_t width = queries.columns;
    queries.read(query_, buffers.query);
    queries.read(d_context, buffers.d_context);
    keys.read(key_, buffers.key);
    keys.read(value_, buffers.value);
    const float* weights = weights_.data_ptr<float>() + pairs_.begin[static_cast<size_t>(pair)];
    buffers.d_scores.resize(static_cast<size_t>(n * m));
    multiply_large(dense(buffers.d_context, width), dense(buffers.value, width, true), n, width, m,
                   0.0F, buffers.d_scores.data());
    softmax_back(weights, n, m, buffers.d_scores);

    buffers.result.resize(buffers.query.size());
    multiply_large(dense(buffers.d_scores, m), dense(buffers.key, width), n, m, width, 0.0F,
                   buffers.result.data());
    queries.write(buffers.result, results[0]);
    buffers.result.resize(buffers.key.size());
    multiply_large(dense(buffers.d_scores, m, true), dense(buffers.query, width), m, n, width, 0.0F,
                   buffers.result.data());
    keys.write(buffers.result, results[1]);
    multiply_large({weights, m, true}, dense(buffers.d_context, width), m, n, width, 0.0F,
                   buffers.result.data());
    keys.write(buffers.result, results[2]);
  }

  /// The weights' gradients become those of query · key.
  void softmax_back(const float* weights, int64_t n, int64_t m, std::vector<float>& d) const {
    auto size = static_cast<size_t>(m);
    for (int64_t i = 0; i < n; ++i) {
      const float* weight = weights + i * m;
      float* row = d.data() + i * m;
      float shared = dot({weight, size}, {row, size});
      for (int64_t j = 0; j < m; ++j) row[j] = pairs_.scale() * weight[j] * (row[j] - shared);
    }
  }

  HeadPairs pairs_;
  Tensor query_;
  Tensor key_;
  Tensor value_;
  Tensor weights_;
};

/// Packed rows as [sentences, heads, longest, head's width].
Tensor pad(const Tensor& rows, const RowLayout& layout, const Tensor& index, int64_t heads) {
  Tensor padded = torch::zeros({layout.sentences() * layout.longest(), rows.size(1)},
                               rows.options().requires_grad(false))
                      .index_copy(0, index, rows);
  return padded.view({layout.sentences(), layout.longest(), heads, rows.size(1) / heads})
      .transpose(1, 2);
}

/// Where each row goes in [sentences · longest].
Tensor padded_index(const RowLayout& layout) {
  Tensor index = torch::empty({layout.rows()}, torch::kInt64);
  auto* numbers = index.data_ptr<int64_t>();
  for (int64_t s = 0; s < layout.sentences(); ++s) {
    int64_t place = s * layout.longest();
    for (int64_t row : layout.rows_of(s)) numbers[row] = place++;
  }
  return index;
}

}  // namespace

Tensor attend(const AttentionRequest& request) {
  if (!uses_kernels(request.query)) return plain_attend(request);
  HeadPairs pairs(request);
  Tensor weights = torch::empty({pairs.begin.back()});
  Tensor context;
  {
    torch::NoGradGuard no_gradients;
    context = attend_forward(request, pairs, weights);
  }
  if (torch::GradMode::is_enabled()) {
    auto node = std::make_shared<AttentionBackward>(request, std::move(pairs), std::move(weights));
    torch::autograd::create_gradient_edge(context, node);
  }
  return context;
}

Tensor plain_attend(const AttentionRequest& request) {
  torch::Device device = request.query.device();
  const RowLayout& query_rows = request.query_rows;
  const RowLayout& key_rows = request.key_rows;
  Tensor query_index = padded_index(query_rows).to(device);
  Tensor key_index = padded_index(key_rows).to(device);
  Tensor query = pad(request.query, query_rows, query_index, request.heads);
  Tensor key = pad(request.key, key_rows, key_index, request.heads);
  Tensor value = pad(request.value, key_rows, key_index, request.heads);
  Tensor seen = torch::zeros({key_rows.sentences() * key_rows.longest()}, torch::kBool);
  seen.index_fill_(0, padded_index(key_rows), true);
  seen = seen.view({key_rows.sentences(), 1, 1, key_rows.longest()});
  if (request.causal) {
    seen = seen.logical_and(
        torch::ones({query_rows.longest(), key_rows.longest()}, torch::kBool).tril());
  }
  Tensor scores = torch::matmul(query, key.transpose(2, 3)) /
                  std::sqrt(static_cast<double>(query.size(3)));  // [sentences, heads, n, m]
  scores = scores.masked_fill(seen.logical_not().to(device), -INFINITY);
  Tensor context = torch::matmul(torch::softmax(scores, 3), value);
  return context.transpose(1, 2)
      .reshape({query_rows.sentences() * query_rows.longest(), request.query.size(1)})
      .index_select(0, query_index);
}

}  // namespace bough
