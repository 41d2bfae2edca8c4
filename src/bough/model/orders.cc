#include "bough/model/orders.h"

#include <fmt/ranges.h>

#include <optional>

#include "bough/base/error.h"
#include "bough/model/model.h"

namespace bough {

namespace {

std::optional<OracleKind> oracle_named(const nlohmann::ordered_json& name) {
  for (const auto& [oracle, own] : EnumNames<OracleKind>::kNames) {
    if (name == own) return oracle;
  }
  return std::nullopt;
}

}  // namespace

Order order_by(const OracleOptions& options, std::span<const WordId> unfinished) {
  Order order{.oracle = options.oracle};
  bool only = options.oracle == OracleKind::kLeftRight ||
              options.oracle == OracleKind::kRightLeft ||
              options.oracle == OracleKind::kContentFirst;
  if (only) order.only = make_oracle(options, unfinished);
  return order;
}

std::vector<Order> orders_of(const Model& model) {
  const nlohmann::ordered_json& training = model.config.training;
  std::vector<OracleKind> oracles;
  if (auto several = training.find("orders"); several != training.end() && several->is_array()) {
    for (const nlohmann::ordered_json& name : *several) {
      std::optional<OracleKind> oracle = oracle_named(name);
      if (oracle && oracles.size() < kOrderStarts.size()) oracles.push_back(*oracle);
    }
  }
  if (oracles.empty()) {
    auto only = training.find("oracle");
    std::optional<OracleKind> oracle;
    if (only != training.end()) oracle = oracle_named(*only);
    oracles.push_back(oracle.value_or(OracleKind::kUniform));
  }
  OracleOptions options;
  options.whole_words = training.value("whole-words", options.whole_words);
  options.frequent_words = training.value("frequent-words", options.frequent_words);
  std::vector<WordId> unfinished;
  if (options.whole_words) {
    unfinished = model.text.tokenizer.unfinished_pieces(model.text.vocabulary);
  }
  std::vector<Order> orders;
  for (OracleKind oracle : oracles) {
    orders.push_back(order_by(options.in_order(oracle), unfinished));
    orders.back().start = kOrderStarts[orders.size() - 1];
  }
  return orders;
}

std::vector<Order> chosen_orders(const Model& model, std::span<const OracleKind> names) {
  std::vector<Order> all = orders_of(model);
  if (names.empty()) return {all.front()};
  std::vector<Order> chosen;
  for (OracleKind name : names) {
    auto found = std::ranges::find(all, name, &Order::oracle);
    if (found == all.end()) {
      std::vector<std::string_view> known;
      for (const Order& order : all) known.push_back(name_of(order.oracle));
      throw UsageError("--order {}: the model was trained in the order {}", name_of(name),
                       fmt::join(known, ", "));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace bough
