// A model's folder to hand on: what is needed to use it, in as few bytes as asked for, and nothing
// of its training but how it went about.
//
//     config.json, vocab.txt, codes.txt, …   as they are, with the precision; options that name
//                                            files without the folders those were in; of the words,
//                                            where that is asked for, the most frequent only
//     model.safetensors                      in that precision (tensor_file.h)
//     generation.json, shortlist.safetensors as they are, where they are
//     README.md                              the card with a line more
#pragma once

#include <string>

#include "bough/base/file.h"
#include "bough/model/precision.h"

namespace bough {

struct ExportRequest {
  std::string model;
  KeptPrecision precision = KeptPrecision::kInt8;
  int64_t max_vocab = 0;  // the most frequent words that are kept; 0: all
  std::string out;
  bool force = false;  // to overwrite a model in `out`
};

/// UsageError where `out` holds something that would be lost, or words of a model are to be dropped
/// that cuts them into pieces or translates; DataError for a damaged model.
void export_model(const ExportRequest& request);

}  // namespace bough
