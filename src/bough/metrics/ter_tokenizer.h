// The words of TER, as tercom and sacreBLEU see them.
//
// Words stand between white space. By default text is only turned into lower case; `normalized`
// sets most ASCII punctuation off as words of its own, `no_punct` then takes the common marks away,
// and `asian_support` makes both of them know Chinese and Japanese writing. A line is one line:
// tercom's rules for joining several have no part here.
#pragma once

#include <string>
#include <string_view>

#include "bough/base/options.h"

namespace bough {

/// All that TER can be told; the defaults are sacreBLEU's.
struct TerOptions {
  bool normalized = false;
  bool no_punct = false;
  bool asian_support = false;
  bool case_sensitive = false;

  void declare(OptionSet& set) {
    set.flag("ter-normalized", normalized, "TER: set punctuation off as words of its own");
    set.flag("ter-no-punct", no_punct, "TER: leave punctuation out");
    set.flag("ter-asian-support", asian_support,
             "TER: the two above treat Chinese and Japanese writing too");
    set.flag("ter-case-sensitive", case_sensitive, "TER: upper and lower case differ");
  }
};

/// A line of well-formed UTF-8 as text whose words stand between white space.
std::string ter_text(std::string_view line, const TerOptions& options);

}  // namespace bough
