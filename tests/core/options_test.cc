// Options: declared once, read from text and JSON.
#include "bough/base/options.h"
#include "bough/base/options_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/named_options.h"
#include "bough/base/random.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Lines = std::vector<std::string>;

enum class Paint { kRed, kGreen };

}  // namespace

template <>
struct EnumNames<Paint> {
  static constexpr auto kNames =
      std::to_array<EnumName<Paint>>({{Paint::kRed, "red"}, {Paint::kGreen, "green"}});
};

namespace {

struct BoatOptions {
  bool sails = false;
  int64_t oars = 2;
  double length = 3.5;
  std::string name = "none";
  Paint paint = Paint::kRed;
  std::vector<std::string> crew;

  OptionSet declare() {
    OptionSet set;
    set.flag("sails", sails, "has sails");
    set.integer("oar-count", oars, {1, 8}, "how many oars");
    set.number("length", length, {0.5, 1000.0}, "in metres");
    set.text("name", name, "TEXT", "what it is called").required = true;
    set.choice("paint", paint, "its colour");
    set.list("crew", crew, "NAME", "who is in it");
    return set;
  }
};

std::string refusal(std::string_view name, const std::string& value) {
  BoatOptions boat;
  OptionSet set = boat.declare();
  auto before = json_of(set);
  auto message = message_of<UsageError>([&] { set.set(name, value, "--" + std::string(name)); });
  EXPECT_EQ(json_of(set), before);
  return message;
}

TEST(Options, EveryKindIsSet) {
  BoatOptions boat;
  OptionSet set = boat.declare();
  set.set("sails", "true", "test");
  set.set("oar-count", "8", "test");
  set.set("length", "1e2", "test");
  set.set("name", "two words", "test");
  set.set("paint", "green", "test");
  set.set("crew", "Ada", "test");
  set.set("crew", "Bo", "test");
  EXPECT_TRUE(boat.sails);
  EXPECT_EQ(boat.oars, 8);
  EXPECT_EQ(boat.length, 100.0);
  EXPECT_EQ(boat.name, "two words");
  EXPECT_EQ(boat.paint, Paint::kGreen);
  EXPECT_EQ(boat.crew, (Lines{"Ada", "Bo"}));
  EXPECT_EQ(set.find("oar-count")->initial, OptionValue(int64_t{2}));
  EXPECT_EQ(set.find("oars"), nullptr);
}

TEST(Options, AreSetByName) {
  BoatOptions boat;
  OptionSet set = boat.declare();
  boat.crew = {"Zoe"};
  set_by_name(set, {{"sails", true},
                    {"oar_count", int64_t{8}},
                    {"length", 2.5},
                    {"paint", "green"},
                    {"crew", Lines{"Ada", "Bo"}}});
  EXPECT_TRUE(boat.sails);
  EXPECT_EQ(boat.oars, 8);
  EXPECT_EQ(boat.length, 2.5);
  EXPECT_EQ(boat.paint, Paint::kGreen);
  EXPECT_EQ(boat.crew, (Lines{"Ada", "Bo"}));
  auto refused = [&](const std::string& name, const OptionValue& value) {
    return message_of<UsageError>([&] { set_by_name(set, {{name, value}}); });
  };
  EXPECT_EQ(refused("oar_count", 2.5), "'oar_count' takes 1 to 8, not '2.5'");
  EXPECT_EQ(refused("oar_count", Lines{"1", "2"}), "'oar_count' takes 1 to 8, not a list");
  expect_contains(refused("oar_cuont", int64_t{1}), "did you mean 'oar-count'?");
}

TEST(Options, ValuesOutsideTheRangeAreRefusedWithWhatIsAllowed) {
  for (const char* bad :
       {"0", "9", "-1", "", "two", "2.0", "2 ", " 2", "0x2", "99999999999999999999"}) {
    expect_contains(refusal("oar-count", bad),
                    fmt::format("--oar-count takes 1 to 8, not '{}'", bad));
  }
  for (const char* bad : {"0.4", "1000.1", "nan", "inf", "1e999", "1,5", "", "1m"}) {
    expect_contains(refusal("length", bad), fmt::format("0.5 to 1000, not '{}'", bad));
  }
  for (const char* bad : {"yes", "1", "", "True"}) {
    expect_contains(refusal("sails", bad), "true or false");
  }
  expect_contains(refusal("paint", "grene"), "red, green, not 'grene' (did you mean 'green'?)");
  expect_contains(refusal("paint", "ultraviolet"), "red, green");
}

TEST(Options, AnUnknownNameNamesTheNearest) {
  expect_contains(refusal("oar-cuont", "2"), "no option 'oar-cuont'; did you mean 'oar-count'?");
  expect_contains(refusal("lenght", "2"), "did you mean 'length'?");
  expect_contains(refusal("oar-", "2"), "did you mean 'oar-count'?");  // cut off
  auto far = refusal("zzzzzzzz", "2");
  expect_contains(far, "--zzzzzzzz");
  EXPECT_EQ(far.find("did you mean"), std::string::npos);
}

TEST(Options, JsonRoundTrip) {
  BoatOptions boat{true, 5, 0.1 + 0.7, "\"Ä\"\n", Paint::kGreen, {"Ada", "1", "true"}};
  auto values = json_of(boat.declare());
  EXPECT_EQ(values["paint"], "green");
  EXPECT_EQ(values["oar-count"], 5);
  BoatOptions read{.crew = {"someone", "else"}};
  OptionSet set = read.declare();
  set_from_json(set, nlohmann::json::parse(values.dump()), "test");
  EXPECT_EQ(json_of(set), values);
  EXPECT_EQ(read.length, boat.length);
  set.check_required();
}

std::string json_refusal(const std::string& text) {
  BoatOptions boat;
  OptionSet set = boat.declare();
  return message_of<DataError>(
      [&] { set_from_json(set, nlohmann::json::parse(text), "'boat.json'"); });
}

TEST(Options, JsonErrorsNameFileAndField) {
  for (const char* text : {R"({"oar-count": 9})", R"({"oar-count": 2.5})", R"({"oar-count": "x"})",
                           R"({"oar-count": null})", R"({"oar-count": [2]})",
                           R"({"oar-count": 18446744073709551615})"}) {
    expect_contains(json_refusal(text), "'boat.json': 'oar-count' takes 1 to 8");
  }
  expect_contains(json_refusal(R"({"sails": 1})"), "'sails' takes true or false");
  expect_contains(json_refusal(R"({"paint": "geen"})"), "did you mean 'green'?");
  expect_contains(json_refusal(R"({"nmae": "x"})"), "no option 'nmae'; did you mean 'name'?");
  expect_contains(json_refusal("[1]"), "'boat.json': expected a JSON object");
}

TEST(Options, JsonOfTheWrongTypeIsRefused) {
  for (const char* text :
       {R"({"crew": null})", R"({"crew": {"a": "b"}})", R"({"crew": [["a"]]})"}) {
    expect_contains(json_refusal(text), "'crew'");
  }
  for (const char* text : {R"({"name": null})", R"({"name": ["a"]})", R"({"name": {"a": 1}})"}) {
    expect_contains(json_refusal(text), "'name'");
  }
}

TEST(Options, RequiredOnesHaveToBeSet) {
  BoatOptions boat;
  OptionSet set = boat.declare();
  auto message = message_of<UsageError>([&] { set.check_required(); });
  expect_contains(message, "--name");
  expect_contains(message, "what it is called");
  set.set("name", "none", "test");  // even to the default
  set.check_required();
}

}  // namespace
}  // namespace bough
