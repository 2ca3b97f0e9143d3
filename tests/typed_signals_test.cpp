// SPDX-License-Identifier: Apache-2.0
// Typed signals: Mux, Demux, Extractor, buses, conversions and arithmetic for every element type against a reference
// that is written here from the law alone: exact integers, then saturate, wrap or error.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "diagram_builder.h"
#include "run_model.h"

namespace orrery::tests::typed_signals_test {
namespace {

using Wide = __int128;

struct Integer {
  const char* name;
  int bits;
  bool is_signed;
  Wide lowest() const { return is_signed ? -(Wide{1} << (bits - 1)) : 0; }
  Wide highest() const { return (Wide{1} << (is_signed ? bits - 1 : bits)) - 1; }
  bool fits(Wide x) const { return x >= lowest() && x <= highest(); }
  Wide saturated(Wide x) const { return x < lowest() ? lowest() : x > highest() ? highest() : x; }
  Wide wrapped(Wide x) const {
    const Wide range = Wide{1} << bits;
    x = (x - lowest()) % range;
    return (x < 0 ? x + range : x) + lowest();
  }
};

constexpr Integer integers[] = {{"int8", 8, true},   {"int16", 16, true},   {"int32", 32, true},
                                {"uint8", 8, false}, {"uint16", 16, false}, {"uint32", 32, false}};

std::string literal(const Integer& type, const std::vector<Wide>& values) {
  std::string text = fmt::format("{}([", type.name);
  for (const Wide x : values) text += fmt::format(" {};", static_cast<std::int64_t>(x));
  return text + "])";
}

std::vector<Wide> numbers_of(const Integer& type, std::mt19937& random, std::size_t count) {
  std::vector<Wide> values = {type.lowest(), type.highest(), 0, 1, type.highest() - 1, type.lowest() + 1};
  while (values.size() < count) {
    const Wide span = type.highest() - type.lowest() + 1;
    values.push_back(type.lowest() + static_cast<Wide>(random()) * static_cast<Wide>(random()) % span);
  }
  values.resize(count);
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

// A model of constants, run once; columns of the blocks by element.
class Trial {
 public:
  std::string constant(const std::string& value) { return d.add("Constant", {{"value", value}}); }
  std::string apply(const std::string& type, const DiagramBuilder::Texts& texts,
                    const std::vector<std::string>& inputs) {
    const std::string name = d.add(type, texts);
    for (std::size_t k = 0; k < inputs.size(); ++k) d.link(inputs[k], 1, name, static_cast<int>(k) + 1);
    return name;
  }
  void show(const std::string& name, int port = 1) {
    const std::string sink = d.add("Scope");
    d.link(name, port, sink, 1);
    sinks.push_back(sink);
  }
  bool run() {
    d.model().settings.stop.text = "0";
    result = run_model(d.model(), {});
    return result.compiled && result.report.state != api::RunState::failed;
  }
  double value(std::size_t sink, std::size_t element, std::size_t size) const {
    const std::string name =
        size == 1 ? fmt::format("/{}.1", sinks[sink]) : fmt::format("/{}.1[{}]", sinks[sink], element + 1);
    return last(result, name);
  }
  DiagramBuilder d;
  std::vector<std::string> sinks;
  ModelRun result;
};

constexpr std::size_t length = 9;

TEST(TypedSignals, ArithmeticWrapsSaturatesOrFails) {
  std::mt19937 random(20);
  for (const Integer& type : integers) {
    const auto a = numbers_of(type, random, length), b = numbers_of(type, random, length);
    const auto expected = [&](int operation, std::size_t k) -> Wide {
      switch (operation) {
        case 0: return a[k] + b[k];
        case 1: return a[k] - b[k];
        default: return a[k] * b[k];
      }
    };
    for (const char* rule : {"saturate", "wrap"}) {
      Trial trial;
      const std::string u = trial.constant(literal(type, a)), v = trial.constant(literal(type, b));
      const std::string overflow = fmt::format("'{}'", rule);
      trial.show(trial.apply("Sum", {{"signs", "'++'"}, {"overflow", overflow}}, {u, v}));
      trial.show(trial.apply("Sum", {{"signs", "'+-'"}, {"overflow", overflow}}, {u, v}));
      trial.show(trial.apply("Product", {{"signs", "'**'"}, {"overflow", overflow}}, {u, v}));
      ASSERT_TRUE(trial.run()) << to_text(trial.result.diagnostics);
      for (int operation = 0; operation < 3; ++operation) {
        for (std::size_t k = 0; k < length; ++k) {
          const Wide exact = expected(operation, k);
          const Wide limited = *rule == 's' ? type.saturated(exact) : type.wrapped(exact);
          EXPECT_EQ(trial.value(static_cast<std::size_t>(operation), k, length), static_cast<double>(limited))
              << type.name << " " << rule << " " << operation << ": " << static_cast<double>(a[k]) << ", "
              << static_cast<double>(b[k]);
        }
      }
    }
    for (int operation = 0; operation < 3; ++operation) {
      for (std::size_t k = 0; k < length; ++k) {
        Trial trial;
        const std::string u = trial.constant(literal(type, {a[k]})), v = trial.constant(literal(type, {b[k]}));
        const char* signs[] = {"'++'", "'+-'", "'**'"};
        trial.show(trial.apply(operation == 2 ? "Product" : "Sum",
                               {{"signs", signs[operation]}, {"overflow", "'error'"}}, {u, v}));
        const bool fits = type.fits(expected(operation, k));
        EXPECT_EQ(trial.run(), fits) << type.name << " " << operation << ": " << static_cast<double>(a[k]) << ", "
                                     << static_cast<double>(b[k]) << to_text(trial.result.diagnostics);
        if (fits) {
          EXPECT_EQ(trial.value(0, 0, 1), static_cast<double>(expected(operation, k)));
        }
      }
      if (type.bits > 8) break;  // one operation will do: the rule is the same code
    }
  }
}

TEST(TypedSignals, ConversionsSaturateOrWrapWhatDoesNotFit) {
  std::mt19937 random(21);
  for (const Integer& from : integers) {
    const auto a = numbers_of(from, random, length);
    for (const char* rule : {"saturate", "wrap"}) {
      Trial trial;
      const std::string u = trial.constant(literal(from, a));
      for (const Integer& to : integers) {
        trial.show(trial.apply("DataTypeConversion",
                               {{"type", fmt::format("'{}'", to.name)}, {"overflow", fmt::format("'{}'", rule)}}, {u}));
      }
      trial.show(trial.apply("DataTypeConversion", {{"type", "'double'"}}, {u}));
      trial.show(trial.apply("DataTypeConversion", {{"type", "'boolean'"}}, {u}));
      ASSERT_TRUE(trial.run()) << to_text(trial.result.diagnostics);
      for (std::size_t t = 0; t < std::size(integers); ++t) {
        for (std::size_t k = 0; k < length; ++k) {
          const Wide x = *rule == 's' ? integers[t].saturated(a[k]) : integers[t].wrapped(a[k]);
          EXPECT_EQ(trial.value(t, k, length), static_cast<double>(x)) << from.name << " to " << integers[t].name;
        }
      }
      for (std::size_t k = 0; k < length; ++k) {
        EXPECT_EQ(trial.value(std::size(integers), k, length), static_cast<double>(a[k]));
        EXPECT_EQ(trial.value(std::size(integers) + 1, k, length), a[k] != 0 ? 1 : 0);
      }
    }
  }
}

// Doubles to integers and back: towards zero, as everywhere, or as the rule of the block says.
TEST(TypedSignals, DoublesBecomeIntegersTowardsZeroAndWithinTheType) {
  const std::vector<double> doubles = {-1e12, -129.5, -128.4, -1.5, -0.5, 0.5, 2.5, 127.9, 1e12};
  Trial trial;
  std::string text = "[";
  for (const double x : doubles) text += fmt::format(" {};", x);
  const std::string u = trial.constant(text + "]");
  for (const Integer& to : integers)
    trial.show(trial.apply("DataTypeConversion", {{"type", fmt::format("'{}'", to.name)}}, {u}));
  ASSERT_TRUE(trial.run()) << to_text(trial.result.diagnostics);
  for (std::size_t t = 0; t < std::size(integers); ++t) {
    for (std::size_t k = 0; k < doubles.size(); ++k) {
      const Wide x = integers[t].saturated(static_cast<Wide>(std::trunc(doubles[k])));
      EXPECT_EQ(trial.value(t, k, doubles.size()), static_cast<double>(x)) << integers[t].name << " " << doubles[k];
    }
  }
}

// What passes through Mux, Extractor, Demux and a bus comes out as it went in, whatever the type.
TEST(TypedSignals, RoutingKeepsEveryElement) {
  std::mt19937 random(22);
  std::vector<std::pair<std::string, std::vector<double>>> values;
  for (const Integer& type : integers) {
    const auto a = numbers_of(type, random, 5);
    values.emplace_back(literal(type, a), std::vector<double>(a.begin(), a.end()));
  }
  values.push_back({"[0.1; -1e300; 3; 4.5; 5e-324]", {0.1, -1e300, 3, 4.5, 5e-324}});
  values.push_back({"[1;0;1;1;0]==1", {1, 0, 1, 1, 0}});
  for (const auto& [text, a] : values) {
    Trial trial;
    const std::string u = trial.constant(text);
    const std::string first = trial.apply("Extractor", {{"indices", "{[4;2],5}"}}, {u});
    const std::string mux = trial.apply("Mux", {{"inputs", "2"}}, {u, first});
    const std::string demux = trial.apply("Demux", {{"sizes", "[3 4]"}}, {mux});
    const std::string bus = trial.d.add("BusCreator", {{"names", "'m,d'"}});
    trial.d.link(mux, 1, bus, 1);
    trial.d.link(demux, 2, bus, 2);
    const std::string out = trial.d.add("BusExtractor", {{"names", "'d,m'"}});
    trial.d.link(bus, 1, out, 1);
    trial.show(out, 1);
    trial.show(out, 2);
    ASSERT_TRUE(trial.run()) << text << to_text(trial.result.diagnostics);
    const double all[] = {a[0], a[1], a[2], a[3], a[4], a[3], a[1]};
    for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(trial.value(1, k, 7), all[k]) << text;
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(trial.value(0, k, 4), all[k + 3]) << text;
  }
}

}  // namespace
}  // namespace orrery::tests::typed_signals_test
