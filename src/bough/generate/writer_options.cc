#include "bough/generate/writer_options.h"

#include "bough/base/error.h"

namespace bough {

std::string WriterOptions::method() const {
  if (beam.size > 0 && mbr.samples > 0) throw UsageError("give --beam-size or --mbr, not both");
  if (beam.size > 0) return "beam";
  if (mbr.samples > 0) return "mbr";
  return std::string(name_of(sampler.decode));
}

}  // namespace bough
