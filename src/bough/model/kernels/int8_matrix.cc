#include "bough/model/kernels/int8_matrix.h"

#include <algorithm>
#include <cmath>
#include <dnnl.hpp>
#include <map>
#include <mutex>

namespace bough {

namespace {

/// Without VNNI two products of a byte each are added in 16 bits; smaller weights keep that exact.
/// What counts is what oneDNN uses, which DNNL_MAX_CPU_ISA may bound.
float largest_weight() {
  auto isa = dnnl_get_effective_cpu_isa();
  bool vnni = (isa & dnnl_cpu_isa_avx512_core_vnni) == dnnl_cpu_isa_avx512_core_vnni ||
              (isa & dnnl_cpu_isa_avx2_vnni) == dnnl_cpu_isa_avx2_vnni;
  return vnni ? 127.0F : 63.0F;
}

/// Rows are rounded up to these numbers, so that few shapes of product have to be prepared.
int64_t padded(int64_t rows) {
  if (rows <= 4) return rows;
  int64_t step = rows <= 32 ? 4 : 16;
  return (rows + step - 1) / step * step;
}

}  // namespace

class Int8Matrix::Product {
 public:
  Product(const std::vector<int8_t>& weights, int64_t columns, int64_t depth)
      : columns_(columns), depth_(depth) {
    using dnnl::memory;
    memory::desc any({depth, columns}, memory::data_type::s8, memory::format_tag::any);
    packed_ = memory(description(64, any).weights_desc(), engine_);
    memory::desc plain({depth, columns}, memory::data_type::s8, memory::format_tag::ba);
    memory from(plain, engine_, const_cast<int8_t*>(weights.data()));
    dnnl::stream stream(engine_);
    dnnl::reorder(from, packed_).execute(stream, from, packed_);
    stream.wait();
  }

  /// sums [padded(rows), columns] = x [padded(rows), depth] · weights
  void run(uint8_t* x, int64_t rows, int32_t* sums) {
    using dnnl::memory;
    rows = padded(rows);
    dnnl::matmul product = prepared(rows);
    memory from({{rows, depth_}, memory::data_type::u8, memory::format_tag::ab}, engine_, x);
    memory to({{rows, columns_}, memory::data_type::s32, memory::format_tag::ab}, engine_, sums);
    dnnl::stream stream(engine_);
    product.execute(stream,
                    {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, packed_}, {DNNL_ARG_DST, to}});
    stream.wait();
  }

 private:
  dnnl::matmul::primitive_desc description(int64_t rows, const dnnl::memory::desc& weights) const {
    using dnnl::memory;
    memory::desc from({rows, depth_}, memory::data_type::u8, memory::format_tag::ab);
    memory::desc to({rows, columns_}, memory::data_type::s32, memory::format_tag::ab);
    return {{from, weights, to}, engine_};
  }

  /// oneDNN takes milliseconds to prepare a shape: each is kept.
  dnnl::matmul prepared(int64_t rows) {
    std::lock_guard lock(mutex_);
    auto found = products_.find(rows);
    if (found == products_.end()) {
      found = products_.emplace(rows, dnnl::matmul(description(rows, packed_.get_desc()))).first;
    }
    return found->second;
  }

  int64_t columns_;
  int64_t depth_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::memory packed_;
  std::mutex mutex_;
  std::map<int64_t, dnnl::matmul> products_;  // by number of rows
};

Int8Matrix::Int8Matrix(const float* matrix, int64_t columns, int64_t depth)
    : columns_(columns),
      depth_(depth),
      scales_(static_cast<size_t>(columns)),
      sums_(static_cast<size_t>(columns)) {
  std::vector<int8_t> weights(static_cast<size_t>(columns * depth));
  float largest = largest_weight();
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < columns; ++n) {
    const float* row = matrix + n * depth;
    float most = 0.0F;
    for (int64_t k = 0; k < depth; ++k) most = std::max(most, std::abs(row[k]));
    float scale = most > 0.0F ? most / largest : 1.0F;
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      auto weight = static_cast<int8_t>(std::lround(row[k] / scale));
      weights[static_cast<size_t>(n * depth + k)] = weight;
      sum += weight;
    }
    scales_[static_cast<size_t>(n)] = scale;
    sums_[static_cast<size_t>(n)] = static_cast<float>(sum);
  }
  product_ = std::make_unique<Product>(weights, columns, depth);
}

Int8Matrix::~Int8Matrix() = default;

void Int8Matrix::multiply(const float* x, int64_t rows, const float* bias, float* y) const {
  run(x, rows, bias, y);
}

void Int8Matrix::add_product(const float* x, int64_t rows, float* y) const {
  run(x, rows, nullptr, y);
}

void Int8Matrix::run(const float* x, int64_t rows, const float* bias, float* y) const {
  auto all_rows = static_cast<size_t>(padded(rows));
  auto depth = static_cast<size_t>(depth_);
  auto columns = static_cast<size_t>(columns_);
  std::unique_ptr<uint8_t[]> bytes(new uint8_t[all_rows * depth]());
  std::unique_ptr<int32_t[]> sums(new int32_t[all_rows * columns]);
  std::vector<ByteScale> scales(static_cast<size_t>(rows));
  bool worth_threads = rows * depth_ > kWorthAThread;
#pragma omp parallel for schedule(static) if (worth_threads)
  for (int64_t r = 0; r < rows; ++r) {
    scales[static_cast<size_t>(r)] =
        to_bytes({x + r * depth_, depth}, {bytes.get() + r * depth_, depth});
  }
  product_->run(bytes.get(), rows, sums.get());
  worth_threads = rows * columns_ > kWorthAThread;
#pragma omp parallel for schedule(static) if (worth_threads)
  for (int64_t r = 0; r < rows; ++r) {
    float* row = y + r * columns_;
    from_sums(sums.get() + r * columns_, scales[static_cast<size_t>(r)], scales_, sums_,
              bias != nullptr ? bias : row, row);
  }
}

}  // namespace bough
