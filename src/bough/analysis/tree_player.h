// A sentence that opens to its tree, which can be written again step by step: a part of a page that
// has the style and the script of page/ (html_page.h).
#pragma once

#include <string>

#include "bough/tree/trace.h"

namespace bough {

/// HTML; `open`: it is open at first.
std::string tree_player(const Trace& trace, bool open);

}  // namespace bough
