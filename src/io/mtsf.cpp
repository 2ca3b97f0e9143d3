// SPDX-License-Identifier: Apache-2.0
// Small files are built in memory, so that they go to their place like every other output; large ones grow on disk.
#include "io/mtsf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <map>

#include "base/check.h"
#include "io/hdf5_writing.h"

namespace orrery::io {
namespace {

constexpr unsigned truncate_file = 2;  // H5F_ACC_TRUNC is a macro that calls the library

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// Where a variable lies: the matrix of a series, and its column there.
struct Cell {
  std::string matrix;  // "/Results/Continuous/H5T_NATIVE_DOUBLE"
  std::uint32_t column = 0;
};

}  // namespace

class MtsfWriting {
 public:
  // Growing: more rows will come than the content has.
  MtsfWriting(const MtsfContent& content, hid_t file, bool growing = false)
      : c_(content), file_(file), growing_(growing) {
    all_.push_back({"time", "", "s"});
    all_.insert(all_.end(), c_.variables.begin(), c_.variables.end());
  }

  void run() {
    attribute(file_, "mtsfVersion", "0.3");
    results();
    describe();
  }

  void append(std::span<const double> time, const double* numbers) {
    for (const Matrix& matrix : matrices_) {
      const std::array<hsize_t, 2> from{rows_, 0}, count{time.size(), matrix.members.size()};
      const std::array<hsize_t, 2> shape{rows_ + time.size(), matrix.members.size()};
      check(h5().Dset_extent(matrix.set, shape.data()));
      const Handle whole(h5().Dget_space(matrix.set), h5().Sclose);
      check(h5().Sselect_hyperslab(whole, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr));
      const Handle part(h5().Screate_simple(2, count.data(), nullptr), h5().Sclose);
      gather(matrix, time, numbers);
      check(h5().Dwrite(matrix.set, matrix.type, part, whole, H5P_DEFAULT, bytes_.data()));
    }
    rows_ += time.size();
  }

  void set_algorithm(const std::string& algorithm) {
    const Handle group(h5().Gopen2(file_, "Results", H5P_DEFAULT), h5().Gclose);
    check(h5().Adelete(group, "algorithm"));
    attribute(group, "algorithm", algorithm);
  }

 private:
  using Type = MtsfVariable::Type;

  // A matrix of numbers that grows.
  struct Matrix {
    Handle set;
    hid_t type;
    std::size_t size;                  // of a number
    std::vector<std::size_t> members;  // variables of its columns
  };

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
    attribute(group, "generationDateAndTime", c_.dated ? now_text() : std::string());
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
  void gather(const std::vector<std::size_t>& members, std::span<const double> time, const double* numbers) {
    bytes_.resize(time.size() * members.size() * sizeof(T));
    T* const values = reinterpret_cast<T*>(bytes_.data());
    for (std::size_t k = 0; k < members.size(); ++k) {
      const bool is_time = members[k] == 0;
      const double* from = is_time ? time.data() : numbers + all_[members[k]].place;
      const std::size_t stride = is_time ? 1 : c_.numbers_per_row;
      for (std::size_t row = 0; row < time.size(); ++row) {
        values[row * members.size() + k] = static_cast<T>(from[row * stride]);
      }
    }
  }

  void gather(const Matrix& matrix, std::span<const double> time, const double* numbers) {
    if (matrix.size == sizeof(double)) return gather<double>(matrix.members, time, numbers);
    if (matrix.size == sizeof(std::int8_t)) return gather<std::int8_t>(matrix.members, time, numbers);
    gather<std::int32_t>(matrix.members, time, numbers);
  }

  std::pair<hid_t, std::size_t> number_type(const std::string& matrix) const {
    if (matrix == "H5T_NATIVE_DOUBLE") return {h5().float64, sizeof(double)};
    if (matrix == "H5T_NATIVE_INT8") return {h5().int8, sizeof(std::int8_t)};
    return {h5().int32, sizeof(std::int32_t)};
  }

  // Rows lie in chunks, each of which is written once.
  void begin_matrix(hid_t group, const std::string& name, const std::vector<std::size_t>& members) {
    constexpr std::size_t chunk_bytes = 1 << 18, most_rows = 1 << 16;
    const auto [type, size] = number_type(name);
    const std::array<hsize_t, 2> shape{0, members.size()}, most{H5S_UNLIMITED, members.size()};
    const std::array<hsize_t, 2> chunk{std::clamp<std::size_t>(chunk_bytes / (size * members.size()), 1, most_rows),
                                       members.size()};
    const Handle space(h5().Screate_simple(2, shape.data(), most.data()), h5().Sclose);
    const Handle create = dataset_properties();
    check(h5().Pset_chunk(create, 2, chunk.data()));
    check(h5().Pset_fill_time(create, H5D_FILL_TIME_NEVER));
    Handle set(h5().Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, create, H5P_DEFAULT), h5().Dclose);
    matrices_.push_back({std::move(set), type, size, members});
  }

  void write_matrix(hid_t group, const std::string& name, const std::vector<std::size_t>& members) {
    if (growing_) return begin_matrix(group, name, members);
    const std::array<hsize_t, 2> shape{c_.time.size(), members.size()};
    const Handle space(h5().Screate_simple(2, shape.data(), nullptr), h5().Sclose);
    const auto write = [&](hid_t type, const void* data) {
      const Handle create = dataset_properties();
      const Handle set(h5().Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, create, H5P_DEFAULT), h5().Dclose);
      if (shape[0] > 0) check(h5().Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    };
    if (name == "H5T_NATIVE_DOUBLE") gather<double>(members, c_.time, c_.numbers.data());
    if (name == "H5T_NATIVE_INT8") gather<std::int8_t>(members, c_.time, c_.numbers.data());
    if (name == "H5T_NATIVE_INT32") gather<std::int32_t>(members, c_.time, c_.numbers.data());
    if (name != "H5T_C_S1") return write(number_type(name).first, bytes_.data());
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
    attribute(group, "generationDateAndTime", c_.dated ? now_text() : std::string());
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
  bool growing_;
  std::vector<Matrix> matrices_;   // that grow
  hsize_t rows_ = 0;               // they have
  std::vector<char> bytes_;        // of numbers, on their way
  std::vector<MtsfVariable> all_;  // the time, then the variables
  std::map<std::size_t, Cell> cells_;
  std::vector<SimpleType> types_;
  std::vector<std::string> units_, item_names_;
  std::vector<std::int32_t> item_values_;
  std::vector<std::uint8_t> first_items_;
};

namespace {

bool ends_with(const std::string& text, const char* end) {
  const std::size_t length = std::strlen(end);
  return text.size() > length && text.compare(text.size() - length, length, end) == 0;
}

}  // namespace

bool is_mtsf_name(const std::string& path) {
  return ends_with(path, ".mtsf") || ends_with(path, ".h5") || ends_with(path, ".hdf5");
}

bool can_be_written(const std::string& path, Diagnostics& diagnostics) {
  // Names that promise another format: a CSV file called so would be opened by the wrong program.
  for (const char* other :
       {".mat", ".xls", ".xlsx", ".ods", ".json", ".xml", ".npy", ".npz", ".parquet", ".svg", ".png", ".orr", ".fmu"}) {
    if (!ends_with(path, other)) continue;
    diagnostics.error("output-unwritable", {path, 0, 0, {}, {}},
                      fmt::format("results are not written as {} files", other),
                      "name a file that ends with .csv, .h5 or .mtsf");
    return false;
  }
  if (!is_mtsf_name(path) || hdf5() != nullptr) return true;
  diagnostics.error("output-unwritable", {path, 0, 0, {}, {}},
                    "files of this kind need the library libhdf5, which is not installed",
                    "install the package libhdf5-103-1, or write a .csv file");
  return false;
}

std::optional<std::string> mtsf_bytes(const MtsfContent& content, const std::string& path, Diagnostics& diagnostics) {
  if (!can_be_written(path, diagnostics)) return std::nullopt;
  constexpr std::size_t growth = 1 << 20;
  const Handle access(h5().Pcreate(h5().file_access), h5().Pclose);
  check(h5().Pset_fapl_core(access, growth, 0));
  const Handle file(h5().Fcreate("results.mtsf", truncate_file, H5P_DEFAULT, access), h5().Fclose);
  MtsfWriting(content, file).run();
  check(h5().Fflush(file, H5F_SCOPE_GLOBAL));
  const ssize_t size = h5().Fget_file_image(file, nullptr, 0);
  ORRERY_CHECK(size > 0);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  ORRERY_CHECK(h5().Fget_file_image(file, bytes.data(), bytes.size()) == size);
  return bytes;
}

MtsfStream::MtsfStream(std::string place, MtsfContent head) : place_(std::move(place)), head_(std::move(head)) {}

MtsfStream::~MtsfStream() { abandon(); }

// What HDF5 holds of a file that failed stays where it is: to close it would be to write again.
void MtsfStream::abandon() {
  if (error_ != 0) {
    static_cast<void>(writing_.release());
    return;
  }
  writing_.reset();
  if (file_ >= 0) h5().Fclose(std::exchange(file_, -1));
}

// Keeps all of the metadata in memory between two flushes, so that what is on disk fits together.
void MtsfStream::create(bool growing) {
  const Handle access(h5().Pcreate(h5().file_access), h5().Pclose);
  H5AC_cache_config_t cache = {};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check(h5().Pget_mdc_config(access, &cache));
  cache.evictions_enabled = 0;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  check(h5().Pset_mdc_config(access, &cache));
  if (h5().Pset_file_locking != nullptr) check(h5().Pset_file_locking(access, 0, 1));
  file_ = h5().Fcreate(place_.c_str(), truncate_file, H5P_DEFAULT, access);
  check(file_);
  writing_ = std::make_unique<MtsfWriting>(head_, file_, growing);
  writing_->run();
}

template <class Work>
bool MtsfStream::guarded(Work work) {
  if (error_ != 0) return false;
  errno = 0;
  try {
    work();
  } catch (const Hdf5Failure& failure) {
    error_ = failure.error;
  }
  return error_ == 0;
}

bool MtsfStream::append(std::span<const double> time, const double* numbers, bool last) {
  return guarded([&] {
    if (file_ < 0 && last) {  // all of them: the file has the form that other programs know best
      head_.time.assign(time.begin(), time.end());
      head_.numbers.assign(numbers, numbers + time.size() * head_.numbers_per_row);
      return create(false);
    }
    const bool first = file_ < 0;
    if (first) create(true);
    if (!time.empty()) writing_->append(time, numbers);
    if (first) check(h5().Fflush(file_, H5F_SCOPE_GLOBAL));
  });
}

bool MtsfStream::flush() {
  return guarded([&] {
    if (file_ >= 0) check(h5().Fflush(file_, H5F_SCOPE_GLOBAL));
  });
}

bool MtsfStream::close(const std::string& algorithm) {
  return guarded([&] {
    if (file_ < 0) create(false);
    writing_->set_algorithm(algorithm);
    // Closing cannot be tried twice.
    check(h5().Fflush(file_, H5F_SCOPE_GLOBAL));
    writing_.reset();
    check(h5().Fclose(std::exchange(file_, -1)));
  });
}

}  // namespace orrery::io
