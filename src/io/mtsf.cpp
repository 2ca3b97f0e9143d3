// SPDX-License-Identifier: Apache-2.0
// The file is built in memory, so that it goes to its place like every other output.
#include "io/mtsf.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <map>

#include "base/check.h"
#include "io/hdf5_library.h"

namespace orrery::io {
namespace {

const Hdf5& h5() { return *hdf5(); }

// What was opened is closed in time; a failure is our own bug or memory that has run out.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) { ORRERY_CHECK(id >= 0); }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t status) { ORRERY_CHECK(status >= 0); }

hid_t text_type(std::size_t length) {
  const hid_t type = h5().Tcopy(h5().text);
  check(h5().Tset_size(type, std::max<std::size_t>(length, 1)));
  check(h5().Tset_strpad(type, H5T_STR_NULLPAD));
  check(h5().Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

void attribute(hid_t object, const char* name, const std::string& value) {
  const Handle type(text_type(value.size()), h5().Tclose);
  const Handle space(h5().Screate(H5S_SCALAR), h5().Sclose);
  const Handle attribute(h5().Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), h5().Aclose);
  std::string bytes = value;
  if (bytes.empty()) bytes.push_back('\0');
  check(h5().Awrite(attribute, type, bytes.data()));
}

void attribute(hid_t object, const char* name, std::int32_t value) {
  const Handle space(h5().Screate(H5S_SCALAR), h5().Sclose);
  const Handle attribute(h5().Acreate2(object, name, h5().int32, space, H5P_DEFAULT, H5P_DEFAULT), h5().Aclose);
  check(h5().Awrite(attribute, h5().int32, &value));
}

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// A table of records: fields are declared, then rows filled in field by field.
class Records {
 public:
  explicit Records(std::size_t rows) : rows_(rows) {}

  template <class T>
  void numbers(const char* name, hid_t type, const std::vector<T>& values) {
    add(name, h5().Tcopy(type), sizeof(T),
        [&](std::size_t row, char* at) { std::memcpy(at, &values[row], sizeof(T)); });
  }
  void texts(const char* name, const std::vector<std::string>& values) {
    std::size_t length = 1;
    for (const std::string& value : values) length = std::max(length, value.size());
    add(name, text_type(length), length,
        [&](std::size_t row, char* at) { std::copy(values[row].begin(), values[row].end(), at); });
  }

  void write(hid_t group, const char* name) {
    std::size_t size = 0;
    for (const Field& field : fields_) size += field.size;
    const Handle type(h5().Tcreate(H5T_COMPOUND, size), h5().Tclose);
    std::string bytes(size * rows_, '\0');
    std::size_t offset = 0;
    for (const Field& field : fields_) {
      check(h5().Tinsert(type, field.name.c_str(), offset, field.type));
      for (std::size_t row = 0; row < rows_; ++row) {
        std::memcpy(bytes.data() + row * size + offset, field.bytes.data() + row * field.size, field.size);
      }
      offset += field.size;
      h5().Tclose(field.type);
    }
    const std::array<hsize_t, 2> shape{rows_, 1};
    const Handle space(h5().Screate_simple(2, shape.data(), nullptr), h5().Sclose);
    const Handle set(h5().Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), h5().Dclose);
    check(h5().Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
  }

 private:
  struct Field {
    std::string name;
    hid_t type;
    std::size_t size;
    std::string bytes;
  };
  template <class Fill>
  void add(const char* name, hid_t type, std::size_t size, Fill fill) {
    Field field{name, type, size, std::string(size * rows_, '\0')};
    for (std::size_t row = 0; row < rows_; ++row) fill(row, field.bytes.data() + row * size);
    fields_.push_back(std::move(field));
  }

  std::size_t rows_;
  std::vector<Field> fields_;
};

// Where a variable lies: the matrix of a series, and its column there.
struct Cell {
  std::string matrix;  // "/Results/Continuous/H5T_NATIVE_DOUBLE"
  std::uint32_t column = 0;
};

class Writing {
 public:
  Writing(const MtsfContent& content, hid_t file) : c_(content), file_(file) {
    all_.push_back({"time", "", "s"});
    all_.insert(all_.end(), c_.variables.begin(), c_.variables.end());
  }

  void run() {
    attribute(file_, "mtsfVersion", "0.3");
    results();
    describe();
  }

 private:
  using Type = MtsfVariable::Type;

  static bool is_continuous(const MtsfVariable& v) {
    return v.type == Type::real && v.variability == MtsfVariable::Variability::continuous;
  }
  static const char* category(Type type) {
    switch (type) {
      case Type::real: return "H5T_NATIVE_DOUBLE";
      case Type::boolean: return "H5T_NATIVE_INT8";
      case Type::text: return "H5T_C_S1";
      default: return "H5T_NATIVE_INT32";
    }
  }

  void results() {
    const Handle group(h5().Gcreate2(file_, "Results", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), h5().Gclose);
    attribute(group, "ResultType", "Simulation");
    attribute(group, "startTime", number(c_.start));
    attribute(group, "stopTime", number(c_.stop));
    attribute(group, "relativeTolerance", number(c_.relative_tolerance));
    attribute(group, "algorithm", c_.algorithm);
    attribute(group, "generationTool", c_.tool);
    attribute(group, "generationDateAndTime", now_text());
    for (const char* name : {"author", "description", "machine", "cpuTime"}) attribute(group, name, "");
    series(group, "Continuous", "linear", true);
    series(group, "Discrete", "constant", false);
  }

  static std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
  }

  // The time stands first, in the continuous series; the discrete one shares it.
  void series(hid_t results, const char* name, const char* interpolation, bool continuous) {
    std::map<std::string, std::vector<std::size_t>> matrices;
    for (std::size_t k = 0; k < all_.size(); ++k) {
      if (is_continuous(all_[k]) == continuous) matrices[category(all_[k].type)].push_back(k);
    }
    if (matrices.empty()) return;
    const Handle group(h5().Gcreate2(results, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), h5().Gclose);
    attribute(group, "interpolationMethod", interpolation);
    attribute(group, "independentVariableRow", 0);
    for (const auto& [matrix, members] : matrices) {
      for (std::size_t k = 0; k < members.size(); ++k) {
        cells_[members[k]] = {std::string("/Results/") + name + "/" + matrix, static_cast<std::uint32_t>(k)};
      }
      write_matrix(group, matrix, members);
    }
  }

  template <class T>
  std::vector<T> gather(const std::vector<std::size_t>& members) const {
    const std::size_t rows = c_.time.size(), width = c_.numbers_per_row;
    std::vector<T> values(rows * members.size());
    for (std::size_t k = 0; k < members.size(); ++k) {
      const std::size_t at = all_[members[k]].place;
      for (std::size_t row = 0; row < rows; ++row) {
        const double x = members[k] == 0 ? c_.time[row] : c_.numbers[row * width + at];
        values[row * members.size() + k] = static_cast<T>(x);
      }
    }
    return values;
  }

  void write_matrix(hid_t group, const std::string& name, const std::vector<std::size_t>& members) const {
    const std::array<hsize_t, 2> shape{c_.time.size(), members.size()};
    const Handle space(h5().Screate_simple(2, shape.data(), nullptr), h5().Sclose);
    const auto write = [&](hid_t type, const void* data) {
      const Handle set(h5().Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       h5().Dclose);
      if (shape[0] > 0) check(h5().Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    };
    if (name == "H5T_NATIVE_DOUBLE") return write(h5().float64, gather<double>(members).data());
    if (name == "H5T_NATIVE_INT8") return write(h5().int8, gather<std::int8_t>(members).data());
    if (name == "H5T_NATIVE_INT32") return write(h5().int32, gather<std::int32_t>(members).data());
    const std::size_t rows = c_.time.size(), width = c_.texts_per_row;
    std::size_t length = 1;
    for (const std::string& text : c_.texts) length = std::max(length, text.size());
    std::string bytes(length * rows * members.size(), '\0');
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < members.size(); ++k) {
        const std::string& text = c_.texts[row * width + all_[members[k]].place];
        text.copy(bytes.data() + (row * members.size() + k) * length, text.size());
      }
    }
    const Handle type(text_type(length), h5().Tclose);
    write(type, bytes.data());
  }

  void describe() {
    const Handle group(h5().Gcreate2(file_, "ModelDescription", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), h5().Gclose);
    attribute(group, "modelName", c_.model);
    attribute(group, "generationTool", c_.tool);
    attribute(group, "generationDateAndTime", now_text());
    attribute(group, "variableNamingConvention", "flat");
    for (const char* name : {"description", "author", "version"}) attribute(group, name, "");
    variables(group);
    types(group);
  }

  void variables(hid_t group) {
    const std::size_t count = all_.size();
    Records records(count);
    std::vector<std::string> names, descriptions;
    std::vector<std::uint32_t> types, columns;
    std::vector<std::uint8_t> causalities, variabilities;
    std::vector<hobj_ref_t> matrices(count);
    for (std::size_t k = 0; k < count; ++k) {
      names.push_back(all_[k].name);
      descriptions.push_back(all_[k].description);
      types.push_back(type_row(all_[k]));
      causalities.push_back(static_cast<std::uint8_t>(all_[k].causality));
      variabilities.push_back(static_cast<std::uint8_t>(all_[k].variability));
      columns.push_back(cells_[k].column);
      check(h5().Rcreate(&matrices[k], file_, cells_[k].matrix.c_str(), H5R_OBJECT, -1));
    }
    records.texts("name", names);
    records.numbers("simpleTypeRow", h5().uint32, types);
    records.numbers("causality", h5().uint8, causalities);
    records.numbers("variability", h5().uint8, variabilities);
    records.texts("description", descriptions);
    records.numbers("objectId", h5().reference, matrices);
    records.numbers("column", h5().uint32, columns);
    records.numbers("negated", h5().uint8, std::vector<std::uint8_t>(count, 0));
    records.write(group, "Variables");
  }

  // Types are told apart by what they hold: data type, unit, enumeration.
  struct SimpleType {
    Type type;
    std::string name, unit;
    std::int32_t row = -1;  // of its unit or enumeration
  };

  std::uint32_t type_row(const MtsfVariable& variable) {
    for (std::uint32_t k = 0; k < types_.size(); ++k) {
      const SimpleType& known = types_[k];
      if (known.type == variable.type && known.unit == variable.unit && known.name == variable.enumeration) return k;
    }
    SimpleType type{variable.type, variable.enumeration, variable.unit};
    if (!variable.unit.empty()) {
      const auto known = std::find(units_.begin(), units_.end(), variable.unit);
      type.row = static_cast<std::int32_t>(known - units_.begin());
      if (known == units_.end()) units_.push_back(variable.unit);
    } else if (!variable.items.empty()) {
      type.row = static_cast<std::int32_t>(item_names_.size());
      for (const auto& [item, value] : variable.items) {
        first_items_.push_back(item_names_.size() == static_cast<std::size_t>(type.row) ? 1 : 0);
        item_names_.push_back(item);
        item_values_.push_back(static_cast<std::int32_t>(value));
      }
    }
    types_.push_back(std::move(type));
    return static_cast<std::uint32_t>(types_.size() - 1);
  }

  void types(hid_t group) {
    Records simple(types_.size());
    std::vector<std::string> names;
    std::vector<std::uint8_t> kinds;
    std::vector<std::int32_t> rows;
    for (const SimpleType& type : types_) {
      names.push_back(type.name);
      kinds.push_back(static_cast<std::uint8_t>(type.type));
      rows.push_back(type.row);
    }
    const std::vector<std::string> nothing(types_.size());
    simple.texts("name", names);
    simple.numbers("dataType", h5().uint8, kinds);
    simple.texts("quantity", nothing);
    simple.numbers("relativeQuantity", h5().uint8, std::vector<std::uint8_t>(types_.size(), 0));
    simple.texts("description", nothing);
    simple.numbers("unitOrEnumerationRow", h5().int32, rows);
    simple.write(group, "SimpleTypes");
    if (!units_.empty()) {
      Records units(units_.size());
      units.texts("name", units_);
      units.numbers("factor", h5().float64, std::vector<double>(units_.size(), 1));
      units.numbers("offset", h5().float64, std::vector<double>(units_.size(), 0));
      units.numbers("mode", h5().uint8, std::vector<std::uint8_t>(units_.size(), 0));
      units.write(group, "Units");
    }
    if (item_names_.empty()) return;
    Records items(item_names_.size());
    items.texts("name", item_names_);
    items.numbers("value", h5().int32, item_values_);
    items.texts("description", std::vector<std::string>(item_names_.size()));
    items.numbers("firstEntry", h5().uint8, first_items_);
    items.write(group, "Enumerations");
  }

  const MtsfContent& c_;
  hid_t file_;
  std::vector<MtsfVariable> all_;  // the time, then the variables
  std::map<std::size_t, Cell> cells_;
  std::vector<SimpleType> types_;
  std::vector<std::string> units_, item_names_;
  std::vector<std::int32_t> item_values_;
  std::vector<std::uint8_t> first_items_;
};

bool ends_with(const std::string& text, const char* end) {
  const std::size_t length = std::strlen(end);
  return text.size() > length && text.compare(text.size() - length, length, end) == 0;
}

}  // namespace

bool is_mtsf_name(const std::string& path) {
  return ends_with(path, ".mtsf") || ends_with(path, ".h5") || ends_with(path, ".hdf5");
}

bool can_be_written(const std::string& path, Diagnostics& diagnostics) {
  if (!is_mtsf_name(path) || hdf5() != nullptr) return true;
  diagnostics.error("output-unwritable", {path, 0, 0, {}, {}},
                    "files of this kind need the library libhdf5, which is not installed",
                    "install the package libhdf5-103-1, or write a .csv file");
  return false;
}

std::optional<std::string> mtsf_bytes(const MtsfContent& content, const std::string& path, Diagnostics& diagnostics) {
  if (!can_be_written(path, diagnostics)) return std::nullopt;
  constexpr std::size_t growth = 1 << 20;
  constexpr unsigned truncate = 2;  // H5F_ACC_TRUNC is a macro that calls the library
  const Handle access(h5().Pcreate(h5().file_access), h5().Pclose);
  check(h5().Pset_fapl_core(access, growth, 0));
  const Handle file(h5().Fcreate("results.mtsf", truncate, H5P_DEFAULT, access), h5().Fclose);
  Writing(content, file).run();
  check(h5().Fflush(file, H5F_SCOPE_GLOBAL));
  const ssize_t size = h5().Fget_file_image(file, nullptr, 0);
  ORRERY_CHECK(size > 0);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  ORRERY_CHECK(h5().Fget_file_image(file, bytes.data(), bytes.size()) == size);
  return bytes;
}

}  // namespace orrery::io
