#include "bough/model/tensor_file.h"

#include <cstring>

#include "bough/base/error.h"
#include "bough/data/word_vectors.h"
#include "bough/model/kernels/byte_weights.h"
#include "bough/model/layers/functions.h"

namespace bough {

namespace {

constexpr std::string_view kScaleEnding = ".scale";

std::string scale_name(const std::string& name) {
  return name + std::string(kScaleEnding);
}

TensorEntry entry_of(const std::string& name, std::string_view dtype, const torch::Tensor& tensor) {
  return {.name = name,
          .dtype = std::string(dtype),
          .shape = tensor.sizes().vec(),
          .bytes = {static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()}};
}

/// A matrix as it is kept in bytes.
struct ByteMatrix {
  torch::Tensor bytes;   // [rows, columns]
  torch::Tensor scales;  // [rows]
};

ByteMatrix quantised(const torch::Tensor& matrix) {
  int64_t rows = matrix.size(0);
  int64_t columns = matrix.size(1);
  ByteMatrix result{torch::empty({rows, columns}, torch::kInt8), torch::empty({rows})};
  for (int64_t i = 0; i < rows; ++i) {
    std::span<const float> row =
        numbers_of(matrix).subspan(static_cast<size_t>(i * columns), static_cast<size_t>(columns));
    float scale = weight_scale(row, kLargestKeptByte);
    result.scales.data_ptr<float>()[i] = scale;
    int8_t* to = result.bytes.data_ptr<int8_t>() + i * columns;
    for (float weight : row) *to++ = weight_to_byte(weight, scale);
  }
  return result;
}

/// Back to floats; a byte times a scale is one without rounding.
torch::Tensor with_scales(const ByteMatrix& matrix) {
  torch::Tensor tensor = torch::empty(matrix.bytes.sizes());
  const int8_t* byte = matrix.bytes.data_ptr<int8_t>();
  float* to = change_numbers(tensor).data();
  for (int64_t i = 0; i < tensor.size(0); ++i) {
    float scale = matrix.scales.data_ptr<float>()[i];
    for (int64_t j = 0; j < tensor.size(1); ++j) *to++ = scale * static_cast<float>(*byte++);
  }
  return tensor;
}

/// Tensors as they stand in a file, whose memory has to last until that is written.
class TensorWriter {
 public:
  explicit TensorWriter(KeptPrecision precision) : precision_(precision) {}

  void add(const std::string& name, const torch::Tensor& tensor) {
    torch::Tensor here = tensor.detach().cpu().contiguous();
    if (precision_ == KeptPrecision::kHalf) {
      add_half(name, here);
    } else if (precision_ == KeptPrecision::kInt8 && here.dim() == 2) {
      add_bytes(name, here);
    } else {
      keep(name, "F32", here);
    }
  }

  const std::vector<TensorEntry>& entries() const { return entries_; }

 private:
  void keep(const std::string& name, std::string_view dtype, const torch::Tensor& tensor) {
    entries_.push_back(entry_of(name, dtype, kept_.emplace_back(tensor)));
  }

  void add_half(const std::string& name, const torch::Tensor& tensor) {
    torch::Tensor half = tensor.to(torch::kHalf);
    if (!half.to(torch::kFloat).isfinite().equal(tensor.isfinite())) {
      throw DataError(
          "tensor '{}' has numbers beyond 65504, the most that half can hold: take "
          "--precision int8 or float",
          name);
    }
    keep(name, "F16", half);
  }

  void add_bytes(const std::string& name, const torch::Tensor& matrix) {
    ByteMatrix kept = quantised(matrix);
    keep(name, "I8", kept.bytes);
    keep(scale_name(name), "F32", kept.scales);
  }

  KeptPrecision precision_;
  std::vector<torch::Tensor> kept_;
  std::vector<TensorEntry> entries_;
};

/// An entry's numbers as a tensor of their own.
torch::Tensor tensor_of(const TensorEntry& entry, torch::ScalarType type) {
  torch::Tensor tensor = torch::empty(entry.shape, type);
  if (!entry.bytes.empty()) {
    std::memcpy(tensor.data_ptr(), entry.bytes.data(), entry.bytes.size());
  }
  return tensor;
}

/// The floats of an entry whose shape is the right one.
torch::Tensor floats_of(const SafetensorsFile& file, const std::string& where,
                        const TensorEntry& entry) {
  if (torch::Tensor floats = plain_floats(entry); floats.defined()) return floats;
  const TensorEntry* scales = file.find(scale_name(entry.name));
  bool fits = scales != nullptr && scales->dtype == "F32" && entry.shape.size() == 2 &&
              scales->shape == std::vector<int64_t>{entry.shape[0]};
  if (!fits) {
    throw DataError("{}: tensor '{}' is in bytes, and '{}' should have a scale (F32) for each row",
                    where, entry.name, scale_name(entry.name));
  }
  return with_scales({tensor_of(entry, torch::kInt8), tensor_of(*scales, torch::kFloat)});
}

}  // namespace

void save_tensors(const fs::path& path, const NamedTensors& tensors,
                  std::map<std::string, std::string> metadata, KeptPrecision precision) {
  TensorWriter writer(precision);
  for (const auto& [name, tensor] : tensors) writer.add(name, tensor);
  write_safetensors(path, writer.entries(), std::move(metadata));
}

void load_tensors(const SafetensorsFile& file, const std::string& where,
                  const NamedTensors& tensors) {
  torch::NoGradGuard no_gradients;
  size_t expected = 0;
  for (const auto& [name, tensor] : tensors) {
    const TensorEntry* entry = file.find(name);
    if (entry == nullptr) throw DataError("{} has no tensor '{}'", where, name);
    bool in_bytes = entry->dtype == "I8";
    bool known = in_bytes || entry->dtype == "F32" || entry->dtype == "F16";
    if (!known || entry->shape != tensor.sizes().vec()) {
      throw DataError(
          "{}: tensor '{}' is {} [{}], but the model's config.json asks for F32, F16 or I8 [{}]",
          where, name, entry->dtype, fmt::join(entry->shape, ", "),
          fmt::join(tensor.sizes().vec(), ", "));
    }
    tensor.copy_(floats_of(file, where, *entry));
    expected += in_bytes ? 2 : 1;
  }
  if (file.entries().size() != expected) {
    throw DataError("{} has {} tensors, but the model's config.json asks for {}", where,
                    file.entries().size(), expected);
  }
}

torch::Tensor plain_floats(const TensorEntry& entry) {
  if (entry.dtype == "F32") return tensor_of(entry, torch::kFloat);
  if (entry.dtype == "F16") return tensor_of(entry, torch::kHalf).to(torch::kFloat);
  return {};
}

void round_to_bytes(const NamedTensors& tensors) {
  torch::NoGradGuard no_gradients;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.dim() == 2) tensor.copy_(with_scales(quantised(tensor.cpu())));
  }
}

int64_t load_embeddings(const std::string& path, const Vocabulary& vocabulary,
                        std::span<const torch::Tensor> matrices) {
  torch::NoGradGuard no_gradients;
  WordSet words;
  for (WordId id = kSpecials; id < vocabulary.size(); ++id) words.insert(vocabulary.word(id));
  WordVectors vectors(path, &words);
  int64_t width = matrices.front().size(1);
  if (static_cast<int64_t>(vectors.dimension()) != width) {
    throw DataError("'{}' has vectors of {} numbers, but --embedding-size is {}", path,
                    vectors.dimension(), width);
  }
  for (const torch::Tensor& matrix : matrices) {
    torch::Tensor here = matrix.cpu();  // the matrix itself where that is on the CPU
    std::span<float> numbers = change_numbers(here);
    for (WordId id = kSpecials; id < vocabulary.size(); ++id) {
      std::optional<size_t> vector = vectors.find(vocabulary.word(id));
      if (!vector) continue;
      std::span<const float> values = vectors.values(*vector);
      std::copy(values.begin(), values.end(), numbers.begin() + static_cast<int64_t>(id) * width);
    }
    if (!matrix.is_cpu()) matrix.copy_(here);
  }
  return static_cast<int64_t>(vectors.size());
}

}  // namespace bough
