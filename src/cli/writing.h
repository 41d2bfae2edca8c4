// What the verbs that write sentences with a model share: which model, how it writes, with which
// settings that `bough tune` has chosen for it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bough/generate/writer.h"
#include "command.h"

namespace bough::cli {

struct Writing {
  std::string folder;
  WriterOptions options;
  CommonOptions common;
  ComputeOptions compute;

  /// --model, under the verb's own heading.
  void declare_model(OptionSet& set) {
    set.text("model", folder, "DIR", "the model's folder").required = true;
  }
  void declare(OptionSet& set) {
    options.declare(set);
    common.declare(set);
    compute.declare(set);
  }

  /// The model, which has to be for `task`, ready to write. Options in `set` that nobody has set
  /// become those tuned for `way`.
  Model open(Task task, std::string_view verb, std::string_view way, OptionSet& set) const;

  /// The paper's experiment: three random words of sentence number `index` are given.
  Prompt completion_prompt(std::span<const std::string> sentence, size_t index,
                           const Vocabulary& vocabulary) const;

  /// The sentences for each prompt, in order, until the user interrupts.
  void write(const Model& model, const WriteRequest& request,
             const std::function<void(std::vector<Written>&&)>& take) const;
};

}  // namespace bough::cli
