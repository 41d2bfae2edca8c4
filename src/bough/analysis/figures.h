// The charts of a report, which are also pictures of their own: words and entropy by depth, parts
// of speech by depth, training curves.
#pragma once

#include <string>
#include <vector>

#include "bough/analysis/report.h"

namespace bough {

struct Figure {
  std::string name;  // as a file's, without its ending
  std::string svg;
};

/// The name of a model as part of a file's name.
std::string file_name_of(std::string name);

/// Words by depth, and entropy by depth where there are scores.
std::vector<Figure> tree_figures(const Report& report);

/// One for each model with tags, and one for the reference; the same tags in all of them.
std::vector<Figure> speech_figures(const Report& report);

/// One for each number that the models' trainings have recorded.
std::vector<Figure> training_figures(const Report& report);

}  // namespace bough
