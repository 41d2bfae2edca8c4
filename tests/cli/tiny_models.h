// Sentences and tiny models that the tests of training, generation and damaged files share.
#pragma once

#include <map>

#include "bough/base/file.h"
#include "bough/base/safetensors.h"
#include "program.h"
#include "same_output.h"
#include "temp_folder.h"
#include "test_seed.h"

namespace bough {

inline const Words& tiny_sentences() {
  static const Words kSentences = {"the old dog sleeps by the door .",
                                   "a small bird sings in the tree .",
                                   "my sister bakes bread on sunday .",
                                   "we walk along the quiet river .",
                                   "he paints the fence green .",
                                   "she reads a long letter .",
                                   "the children play in the snow .",
                                   "our train leaves at noon .",
                                   "do you like warm soup ?",
                                   "i never drink coffee at night .",
                                   "the farmer feeds his three horses .",
                                   "rain falls on the tin roof .",
                                   "they dance until the morning .",
                                   "a cat hides under the bed .",
                                   "the teacher opens the window .",
                                   "why is the shop closed today ?",
                                   "his brother repairs old clocks .",
                                   "the moon shines over the lake .",
                                   "we plant beans in the spring .",
                                   "a boat drifts near the shore .",
                                   "she sings while she works .",
                                   "the baker sells sweet rolls .",
                                   "i lost my red umbrella .",
                                   "the wind moves the tall grass ."};
  return kSentences;
}

inline std::string joined(const Words& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// A small network, quickly made.
inline Words tiny_network() {
  return {"--layers",     "1", "--hidden-size", "16", "--embedding-size", "8",
          "--batch-size", "8", "--threads",     "1",  "--samples",        "0"};
}

/// `bough train` with a tiny network and one update; later options beat these.
inline Words tiny_train(const fs::path& corpus, const fs::path& out, const Words& more = {}) {
  return Words{"train", "--train", corpus, "--out", out, "--updates", "1"} + tiny_network() + more;
}

/// Models by the options they were trained with, made on first use.
class TinyModels {
 public:
  static TinyModels& shared() {
    static TinyModels models;
    return models;
  }

  fs::path corpus() const { return folder_.path() / "corpus.txt"; }

  /// 150 updates in three epochs, with validation: enough to learn where sentences end.
  fs::path with(const Words& options) {
    make({options});
    return made_.at(joined(options));
  }

  /// Makes those that aren't there yet.
  void make(const std::vector<Words>& models) {
    std::vector<Words> calls;
    for (const Words& options : models) {
      fs::path out = folder_.path() / std::to_string(made_.size());
      if (!made_.emplace(joined(options), out).second) continue;
      Words call = tiny_train(
          corpus(), out,
          {"--valid", corpus(), "--updates", "150", "--epoch-updates", "50", "--learning-rate",
           "0.03", "--log-every", "10", "--quiet", "--seed", std::to_string(test_seed())});
      calls.push_back(call + options);
    }
    for (const Outcome& outcome : bough_each(calls)) {
      if (outcome.exit_code != 0) throw std::runtime_error("cannot train: " + outcome.err);
    }
  }

 private:
  TinyModels() { put(corpus(), joined(tiny_sentences())); }

  TempFolder folder_;
  std::map<std::string, fs::path> made_;
};

/// Options of a model that is large enough, and trained long enough, to know the tiny sentences by
/// heart, whatever the seed.
inline Words by_heart() {
  return {"--updates",        "600", "--epoch-updates", "200", "--hidden-size", "64",
          "--embedding-size", "32",  "--learning-rate", "0.01"};
}

inline fs::path oracle_model(const std::string& oracle) {
  return TinyModels::shared().with({"--oracle", oracle});
}

/// The numbers of a safetensors file, by name; the metadata beside them holds timings.
inline std::map<std::string, std::string> tensors_of(const fs::path& path) {
  std::map<std::string, std::string> tensors;
  SafetensorsFile file = SafetensorsFile::read(path);
  for (const TensorEntry& entry : file.entries()) tensors[entry.name] = std::string(entry.bytes);
  return tensors;
}

}  // namespace bough
