#include "bough/bench/gemm_rate.h"

#include <algorithm>
#include <chrono>
#include <dnnl.hpp>

#include "bough/model/torch.h"

namespace bough {

namespace {

/// Adds the rate of each call of `body`, which does `work` GFLOP.
template <typename Body>
void collect(double budget, double work, std::vector<double>& rates, Body body) {
  body();
  double start = now_in_seconds();
  for (int run = 0; run < 3 || now_in_seconds() - start < budget; ++run) {
    double begin = now_in_seconds();
    body();
    rates.push_back(work / (now_in_seconds() - begin));
  }
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

double now_in_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

GemmRate GemmMeter::rate() const {
  return {.blas = median(blas_), .onednn = median(onednn_)};
}

void GemmMeter::measure(double seconds) {
  torch::NoGradGuard no_gradients;
  torch::Tensor x = torch::rand({shape_.rows, shape_.depth});
  torch::Tensor weight = torch::rand({shape_.columns, shape_.depth});
  torch::Tensor y = torch::empty({shape_.rows, shape_.columns});
  double work = 2e-9 * static_cast<double>(shape_.rows) * static_cast<double>(shape_.depth) *
                static_cast<double>(shape_.columns);
  collect(seconds, work, blas_, [&] { at::mm_out(y, x, weight.t()); });

  using Tag = dnnl::memory::format_tag;
  constexpr auto kFloat = dnnl::memory::data_type::f32;
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  dnnl::memory::desc x_layout({shape_.rows, shape_.depth}, kFloat, Tag::ab);
  dnnl::memory::desc plain_weight({shape_.depth, shape_.columns}, kFloat, Tag::ba);
  dnnl::memory::desc any_weight({shape_.depth, shape_.columns}, kFloat, Tag::any);
  dnnl::memory::desc y_layout({shape_.rows, shape_.columns}, kFloat, Tag::ab);
  dnnl::matmul::primitive_desc description({x_layout, any_weight, y_layout}, engine);
  dnnl::memory from(x_layout, engine, x.data_ptr<float>());
  dnnl::memory plain(plain_weight, engine, weight.data_ptr<float>());
  dnnl::memory packed(description.weights_desc(), engine);
  dnnl::memory to(y_layout, engine, y.data_ptr<float>());
  dnnl::reorder(plain, packed).execute(stream, plain, packed);
  dnnl::matmul product(description);
  collect(seconds, work, onednn_, [&] {
    product.execute(stream, {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, to}});
    stream.wait();
  });
}

}  // namespace bough
