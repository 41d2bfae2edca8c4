// The orders that a model writes in: mostly the one of its oracle, or several (`train --orders`).
//
// Where there are several, the symbol that a sentence begins with names its order. Symbols that are
// never written are free for that: the first order begins with <s>, as does a model's only one, the
// second with <p>, the third with </s>.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "bough/oracle/oracle.h"
#include "bough/text/vocabulary.h"

namespace bough {

struct Model;

inline constexpr std::array<WordId, 3> kOrderStarts = {kStart, kPad, kBagEnd};

struct Order {
  OracleKind oracle = OracleKind::kUniform;
  WordId start = kStart;
  std::shared_ptr<const Oracle> only = {};  // gives a sentence its only tree; null: it has many
};

/// The order that this oracle teaches; `unfinished` as for make_oracle.
Order order_by(const OracleOptions& options, std::span<const WordId> unfinished = {});

/// All that a model was trained in, the first being its usual one; uniform where its folder doesn't
/// say.
std::vector<Order> orders_of(const Model& model);

/// Those of these names, or where none is named, the usual one. UsageError for one that it lacks.
std::vector<Order> chosen_orders(const Model& model, std::span<const OracleKind> names);

}  // namespace bough
