// Has a model write sentences, and says how likely each of them is.
//
//     write_sentences [MODEL [COUNT]]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bough/bough.h"

int main(int argc, char** argv) {
  std::string name = argc > 1 ? argv[1] : "english";
  int64_t count = argc > 2 ? std::atoll(argv[2]) : 5;
  try {
    bough::LoadedModel model = bough::load(name);
    std::vector<std::string> texts;
    for (const bough::Sentence& sentence : model.generate({.count = count, .seed = 1})) {
      texts.push_back(sentence.text);
    }
    for (const bough::Score& score : model.score(texts, {.samples = 16})) {
      std::printf("%9.3f  %s\n", score.logprob, score.text.c_str());
    }
  } catch (const bough::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
