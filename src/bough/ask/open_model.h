// A model that is open, with what else its folder holds.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bough/data/shortlist.h"
#include "bough/model/model.h"

namespace bough::ask {

struct OpenModel {
  std::string name;  // as messages name it
  std::string folder;
  std::shared_ptr<const Model> model;
  Precision precision = Precision::kFloat;               // to compute with
  nlohmann::ordered_json settings;                       // generation.json: what `bough tune` chose
  std::shared_ptr<const Shortlist> shortlist = nullptr;  // where it was asked for, and there is one
};

/// Without a precision it is computed with what it is kept in. DataError for a folder that can't be
/// read.
OpenModel open_model(const std::string& folder, const std::string& device,
                     std::optional<Precision> precision);

/// Its shortlist; DataError where it has none.
std::shared_ptr<const Shortlist> load_shortlist(const OpenModel& open);

/// Whether it has one.
bool has_shortlist(const OpenModel& open);

/// UsageError where the model isn't one for the verb.
void check_task(const OpenModel& open, std::string_view verb);

}  // namespace bough::ask
