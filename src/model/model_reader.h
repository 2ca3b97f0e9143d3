// SPDX-License-Identifier: Apache-2.0
// The events of the JSON parser, in the order of the text, and the Model that grows from them.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/check_diagram.h"
#include "model/fields.h"
#include "model/json_text.h"
#include "model/model.h"
#include "model/upgrade.h"

namespace orrery::model {

// What kind of JSON value the file holds at some place.
enum class Found { null, boolean, integer, number, text, object, array };

// The interface is nlohmann's json_sax. Every function returns whether to go on. What may stand where is in the tables
// of fields.h; store_fields.cpp puts values in their places, finish_containers.cpp checks what is complete.
class ModelReader {
 public:
  // whole: false for items that are to be part of another diagram; their links may end there.
  ModelReader(std::string_view text, const std::string& file, const int* line, Model& model, Diagnostics& diagnostics,
              bool whole)
      : text_(text), file_(file), line_(*line), model_(model), diagnostics_(diagnostics), whole_(whole) {}

  bool null() { return scalar(Found::null, {}, 0); }
  bool boolean(bool b) { return scalar(Found::boolean, b ? "true" : "false", 0); }
  bool number_integer(std::int64_t n) { return scalar(Found::integer, std::to_string(n), static_cast<double>(n)); }
  bool number_unsigned(std::uint64_t n) { return scalar(Found::integer, std::to_string(n), static_cast<double>(n)); }
  bool number_float(double x, const std::string& source) { return scalar(Found::number, source, x); }
  bool string(std::string& value) { return scalar(Found::text, std::move(value), 0); }
  template <class Bytes>
  bool binary(Bytes&) {
    return false;
  }

  bool start_object(std::size_t) { return open(Found::object); }
  bool start_array(std::size_t) { return open(Found::array); }
  bool end_array() { return close(); }
  bool end_object() { return close(); }

  bool key(std::string& name);
  int version() const { return version_; }
  bool parse_error(std::size_t position, const std::string&, const std::exception& exception);

 private:
  struct Frame {
    Container container;
    int line = 0;      // of the opening bracket
    int key_line = 0;  // of the field that is being read
    unsigned seen = 0;
    const Field* field = nullptr;  // of the value that follows; null: skip it
    Diagram* diagram = nullptr;    // the innermost one around or at this container
  };

  bool go_on();
  std::string path() const;
  void error(const char* code, std::string message, std::string help = {}, int line = 0);
  bool unknown_field(const std::string& name, std::span<const Field> fields);

  // The field or element that the coming value belongs to; nothing when it is to be skipped.
  std::optional<Field> expected(Found found);
  bool open(Found found);
  bool too_deep();
  bool close();

  // Checks that need the whole of a container.
  void finish(const Frame& frame);
  void finish_link(const Frame& frame);
  void finish_mask(const Frame& frame);
  template <typename Item>
  void finish_names(const std::vector<Item>& items, std::string Item::*name, std::string_view what) {
    std::vector<NamedLine> names;
    names.reserve(items.size());
    for (const Item& item : items) names.push_back({item.*name, item.line});
    check_unique(std::move(names), what, place_in(file_, 0, path()), diagnostics_);
  }
  void finish_bends(const Frame& frame);
  // "Ball:1>Bounce:1" or "Ground:1!>Ball:1". Names hold no colon, so what ends the first number is unambiguous.
  Bends branch(const std::string& text);

  bool scalar(Found found, std::string text, double number);
  void store_flow(const std::string& text, LayoutItem& item);
  void store(const Field& field, std::string text, double number);
  void store_file(const Field& field, std::string text);
  bool read_version(const std::string& text);
  void store_setting(const Field& field, std::string text);
  void store_block(const Field& field, std::string text, BlockInstance& block);
  void store_link(const Field& field, std::string text, Link& link);
  void store_mask(const Field& field, std::string text, MaskParameter& parameter);
  void store_library(const Field& field, std::string text, LibraryNeed& need);
  void store_option(const Field& field, std::string text, Diagram& diagram);
  void store_side(double number, std::initializer_list<double*> sides);
  std::optional<PortRef> port_reference(const std::string& text);

  std::string_view text_;
  const std::string& file_;
  const int& line_;
  Model& model_;
  Diagnostics& diagnostics_;
  int version_ = current_version;
  std::vector<Frame> frames_;
  std::string key_;        // the name before the coming value, in objects of free keys
  int skipped_depth_ = 0;  // brackets open inside a value that is skipped
  int nesting_ = 0;
  std::size_t sides_ = 0;  // numbers read of a rectangle or point
  bool stopped_ = false;
  bool whole_;
};

}  // namespace orrery::model
