// Does a loaded model work? Its weights are numbers, and its two faces agree.
#pragma once

#include <string>

#include "bough/model/model.h"

namespace bough {

struct SelfTest {
  bool passed = false;
  std::string report;
};

SelfTest test_model(const Model& model);

}  // namespace bough
