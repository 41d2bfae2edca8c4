// bough.Oracle: what is right at each slot of a tree under way, for those who study orders.
#pragma once

#include <pybind11/pybind11.h>

#include "bough/oracle/oracle_options.h"
#include "bough/tree/shape.h"

namespace bough::python {

/// What an oracle takes, with the shape of the trees that are walked.
struct WalkOptions {
  OracleOptions oracle;
  Shape shape = Shape::kEnd;

  void declare(OptionSet& set) {
    oracle.declare(set);
    set.choice("shape", shape, "how the shape of trees is told");
  }
};

/// Oracle, Walk and Trajectory.
void add_oracle_types(pybind11::module_& module);

}  // namespace bough::python
