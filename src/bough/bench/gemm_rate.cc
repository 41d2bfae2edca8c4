#include "bough/bench/gemm_rate.h"

#include <algorithm>
#include <chrono>
#include <dnnl.hpp>

#include "bough/model/torch.h"

namespace bough {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds of the fastest run.
template <typename Body>
double fastest(double budget, Body body) {
  body();
  double best = 1e9;
  auto start = std::chrono::steady_clock::now();
  for (int run = 0; run < 3 || seconds_since(start) < budget; ++run) {
    auto begin = std::chrono::steady_clock::now();
    body();
    best = std::min(best, seconds_since(begin));
  }
  return best;
}

}  // namespace

GemmRate measure_gemm(const GemmShape& shape, double seconds) {
  torch::NoGradGuard no_gradients;
  torch::Tensor x = torch::rand({shape.rows, shape.depth});
  torch::Tensor weight = torch::rand({shape.columns, shape.depth});
  torch::Tensor y = torch::empty({shape.rows, shape.columns});
  double work = 2e-9 * static_cast<double>(shape.rows) * static_cast<double>(shape.depth) *
                static_cast<double>(shape.columns);
  GemmRate rate;
  rate.blas = work / fastest(seconds, [&] { at::mm_out(y, x, weight.t()); });

  using Tag = dnnl::memory::format_tag;
  constexpr auto kFloat = dnnl::memory::data_type::f32;
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  dnnl::memory::desc x_layout({shape.rows, shape.depth}, kFloat, Tag::ab);
  dnnl::memory::desc plain_weight({shape.depth, shape.columns}, kFloat, Tag::ba);
  dnnl::memory::desc any_weight({shape.depth, shape.columns}, kFloat, Tag::any);
  dnnl::memory::desc y_layout({shape.rows, shape.columns}, kFloat, Tag::ab);
  dnnl::matmul::primitive_desc description({x_layout, any_weight, y_layout}, engine);
  dnnl::memory from(x_layout, engine, x.data_ptr<float>());
  dnnl::memory plain(plain_weight, engine, weight.data_ptr<float>());
  dnnl::memory packed(description.weights_desc(), engine);
  dnnl::memory to(y_layout, engine, y.data_ptr<float>());
  dnnl::reorder(plain, packed).execute(stream, plain, packed);
  dnnl::matmul product(description);
  rate.onednn =
      work / fastest(seconds, [&] {
        product.execute(stream,
                        {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, to}});
        stream.wait();
      });
  return rate;
}

}  // namespace bough
