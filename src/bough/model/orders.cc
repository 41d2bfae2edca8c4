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

std::vector<Order> orders_of(const ModelConfig& config) {
  const nlohmann::ordered_json& training = config.training;
  std::vector<Order> orders;
  if (auto several = training.find("orders"); several != training.end() && several->is_array()) {
    for (const nlohmann::ordered_json& name : *several) {
      std::optional<OracleKind> oracle = oracle_named(name);
      if (oracle && orders.size() < kOrderStarts.size()) {
        orders.push_back({*oracle, kOrderStarts[orders.size()]});
      }
    }
  }
  if (orders.empty()) {
    auto only = training.find("oracle");
    std::optional<OracleKind> oracle;
    if (only != training.end()) oracle = oracle_named(*only);
    orders.push_back({.oracle = oracle.value_or(OracleKind::kUniform)});
  }
  return orders;
}

std::vector<Order> chosen_orders(const ModelConfig& config, std::span<const OracleKind> names) {
  std::vector<Order> all = orders_of(config);
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
