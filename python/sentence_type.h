// bough.Sentence: a sentence that a model wrote, with the tree that it was written as.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "bough/bough.h"
#include "tree_type.h"

namespace bough::python {

class SentenceObject {
 public:
  explicit SentenceObject(Sentence&& sentence)
      : sentence_(std::make_shared<const Sentence>(std::move(sentence))),
        tree_(std::make_shared<TreeObject>(
            std::shared_ptr<const Trace>(sentence_, &sentence_->trace))) {}

  const Sentence& sentence() const { return *sentence_; }
  const Trace& trace() const { return sentence_->trace; }
  /// Shares the sentence's memory.
  const std::shared_ptr<TreeObject>& tree() const { return tree_; }

 private:
  std::shared_ptr<const Sentence> sentence_;
  std::shared_ptr<TreeObject> tree_;
};

void add_sentence_type(pybind11::module_& module);

}  // namespace bough::python
