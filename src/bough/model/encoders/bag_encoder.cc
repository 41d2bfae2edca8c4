#include "bough/model/encoders/bag_encoder.h"

#include <algorithm>

#include "bough/model/layers/functions.h"

namespace bough {

namespace {

std::vector<WordId> words_of(SourceIds bag) {
  std::vector<WordId> words(bag.begin(), bag.end());
  words.push_back(kBagEnd);
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

torch::Tensor BagEncoder::encode(std::span<const SourceIds> bags) const {
  std::vector<int64_t> words;
  std::vector<int64_t> bag_of;  // of each word
  std::vector<float> shares;    // of each word in the mean
  for (size_t i = 0; i < bags.size(); ++i) {
    std::vector<WordId> own = words_of(bags[i]);
    words.insert(words.end(), own.begin(), own.end());
    bag_of.resize(words.size(), static_cast<int64_t>(i));
    shares.resize(words.size(), 1.0F / static_cast<float>(own.size()));
  }
  torch::Device device = embedding.device();
  torch::Tensor index = torch::tensor(bag_of, torch::kInt64).to(device);
  torch::Tensor share = torch::tensor(shares).unsqueeze(1).to(device);
  torch::Tensor mean =
      torch::zeros({static_cast<int64_t>(bags.size()), embedding.size(1)}, share.options())
          .index_add(0, index, gather_rows(embedding, words) * share);  // [bags, embedding]
  return linear(mean);
}

void BagEncoder::encode(std::span<const SourceIds> bags, Precision precision,
                        float* encoded) const {
  int64_t width = embedding.size(1);
  const float* vectors = embedding.data_ptr<float>();
  std::vector<float> mean(bags.size() * static_cast<size_t>(width));
  for (size_t i = 0; i < bags.size(); ++i) {
    std::vector<WordId> words = words_of(bags[i]);
    float share = 1.0F / static_cast<float>(words.size());
    float* row = mean.data() + static_cast<int64_t>(i) * width;
    for (WordId word : words) {
      for (int64_t j = 0; j < width; ++j) row[j] += share * vectors[word * width + j];
    }
  }
  linear.packed.get(precision).multiply(mean.data(), static_cast<int64_t>(bags.size()),
                                        linear.bias.data_ptr<float>(), encoded);
}

}  // namespace bough
