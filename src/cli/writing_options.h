// What the verbs share that write sentences in order to measure or show something: which model, and
// how it writes.
#pragma once

#include <string>

#include "bough/generate/writer_options.h"
#include "command.h"

namespace bough::cli {

struct WritingOptions {
  std::string folder;
  WriterOptions options;
  CommonOptions common;
  ComputeOptions compute;

  /// --model, under the verb's own heading.
  void declare_model(OptionSet& set) {
    set.text("model", folder, "DIR", "the model's folder, or the name of a shipped one")
        .names_model()
        .about_the_program()
        .required = true;
  }
  void declare(OptionSet& set) {
    options.declare(set);
    common.declare(set);
    compute.declare(set);
  }
};

}  // namespace bough::cli
