#include "bough/bench/synthetic.h"

#include <algorithm>
#include <array>

#include "bough/base/random.h"

namespace bough {

namespace {

/// How many of Persona-Chat's training sentences have 1, 2, 3, … words; 11.7 on average.
constexpr std::array<double, 27> kLengths = {12,   23,   35,   386,  1792, 3253, 3821, 3827, 3560,
                                             3576, 3403, 3410, 3387, 3383, 3370, 3127, 2626, 2044,
                                             1296, 591,  258,  69,   21,   7,    3,    2,    2};

/// Draws words with a probability in proportion to 1 / rank.
class ZipfWords {
 public:
  explicit ZipfWords(int64_t vocabulary) {
    double total = 0.0;
    for (int64_t rank = 1; rank <= vocabulary - kSpecials; ++rank) {
      cumulative_.push_back(total += 1.0 / static_cast<double>(rank));
    }
  }
  WordId draw(RandomStream& random) const {
    double at = random.uniform() * cumulative_.back();
    auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
    return static_cast<WordId>(kSpecials + (found - cumulative_.begin()));
  }

 private:
  std::vector<double> cumulative_;
};

}  // namespace

Dataset SyntheticCorpus::make() const {
  RandomStream random(seed, Purpose::kBench);
  ZipfWords words(vocabulary);
  Dataset data;
  std::vector<WordId> sentence;
  for (int64_t i = 0; i < sentences; ++i) {
    sentence.resize(static_cast<size_t>(length > 0 ? length : random.draw(kLengths) + 1));
    for (WordId& word : sentence) word = words.draw(random);
    data.add(sentence);
  }
  return data;
}

}  // namespace bough
