// A tree as a picture, like the first figure of the paper: words in boxes, a line from each word to
// those below it, and two badges on each: a green square with the order of writing, a blue round
// one with the place in the sentence. Every word stands in its own columns, so that the sentence
// can be read from left to right whatever its tree.
#pragma once

#include <string>

#include "bough/base/options.h"
#include "bough/tree/trace.h"

namespace bough {

enum class NodeColour { kNone, kProbability, kEntropy };
template <>
struct EnumNames<NodeColour> {
  static constexpr auto kNames =
      std::to_array<EnumName<NodeColour>>({{NodeColour::kNone, "none"},
                                           {NodeColour::kProbability, "probability"},
                                           {NodeColour::kEntropy, "entropy"}});
};

/// SVG. Elements of a word have `data-step`, the step that wrote it. Given words have a double
/// border. Where the trace has no scores there is no colour.
std::string draw_svg(const Trace& trace, NodeColour colour = NodeColour::kProbability);

/// For Graphviz: `dot -Tpdf`. Reading order is kept by an ordered pair of children, an invisible
/// one where there is none.
std::string draw_dot(const Trace& trace);

}  // namespace bough
