// SPDX-License-Identifier: Apache-2.0
// What is written as MTSF, read back with HDF5 itself.
#include "io/mtsf.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

namespace orrery::io {
namespace {

// The bytes as a file that is open, in memory.
hid_t opened(std::string& bytes) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 16, 0);
  H5Pset_file_image(access, bytes.data(), bytes.size());
  const hid_t file = H5Fopen("image.mtsf", H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return file;
}

template <class T>
std::vector<T> matrix(hid_t file, const char* path, hid_t type, std::size_t rows, std::size_t columns) {
  const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  hsize_t shape[2] = {};
  EXPECT_EQ(H5Sget_simple_extent_dims(space, shape, nullptr), 2) << path;
  EXPECT_EQ(shape[0], rows) << path;
  EXPECT_EQ(shape[1], columns) << path;
  std::vector<T> values(rows * columns);
  EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(set);
  return values;
}

// Where a variable lies, as a reader finds it.
struct Found {
  char name[8];
  std::uint8_t causality, variability;
  hobj_ref_t matrix;
  std::uint32_t column, type;
};

std::vector<Found> variables(hid_t file, std::size_t count) {
  const hid_t name = H5Tcopy(H5T_C_S1);
  H5Tset_size(name, sizeof Found::name);
  H5Tset_cset(name, H5T_CSET_UTF8);
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(Found));
  H5Tinsert(type, "name", HOFFSET(Found, name), name);
  H5Tinsert(type, "causality", HOFFSET(Found, causality), H5T_NATIVE_UINT8);
  H5Tinsert(type, "variability", HOFFSET(Found, variability), H5T_NATIVE_UINT8);
  H5Tinsert(type, "objectId", HOFFSET(Found, matrix), H5T_STD_REF_OBJ);
  H5Tinsert(type, "column", HOFFSET(Found, column), H5T_NATIVE_UINT32);
  H5Tinsert(type, "simpleTypeRow", HOFFSET(Found, type), H5T_NATIVE_UINT32);
  auto list = matrix<Found>(file, "/ModelDescription/Variables", type, count, 1);
  H5Tclose(type);
  H5Tclose(name);
  return list;
}

std::string path_of(hid_t file, hobj_ref_t reference) {
  const hid_t object = H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &reference);
  char path[128] = {};
  H5Iget_name(object, path, sizeof path);
  H5Oclose(object);
  return path;
}

MtsfContent sample() {
  MtsfContent content;
  content.model = "ball";
  MtsfVariable height{"h", "height", "m", 0};
  MtsfVariable hits{"hits", {}, {}, 2};
  hits.type = MtsfVariable::Type::integer;
  hits.variability = MtsfVariable::Variability::discrete;
  MtsfVariable state{"state", {}, {}, 0};
  state.type = MtsfVariable::Type::text;
  state.variability = MtsfVariable::Variability::discrete;
  MtsfVariable speed{"v", {}, "m/s", 1};
  speed.causality = MtsfVariable::Causality::output;
  content.variables = {height, hits, state, speed};
  content.time = {0, 0.5, 0.5};
  content.numbers_per_row = 3;
  content.texts_per_row = 1;
  content.numbers = {1, 0, 0, 0, -3.25, 0, 0, 2.5, 1};
  content.texts = {"falls", "falls", "rises"};
  return content;
}

TEST(Mtsf, IsReadBackByHdf5) {
  Diagnostics diagnostics;
  auto bytes = mtsf_bytes(sample(), "x.mtsf", diagnostics);
  ASSERT_TRUE(bytes);
  const hid_t file = opened(*bytes);
  ASSERT_GE(file, 0);
  const auto list = variables(file, 5);
  EXPECT_STREQ(list[0].name, "time");
  EXPECT_STREQ(list[1].name, "h");
  EXPECT_STREQ(list[4].name, "v");
  EXPECT_EQ(list[4].causality, 3);
  EXPECT_EQ(list[1].variability, 5);
  EXPECT_EQ(list[2].variability, 4);
  EXPECT_NE(list[1].type, list[4].type);  // other units
  EXPECT_EQ(path_of(file, list[0].matrix), "/Results/Continuous/H5T_NATIVE_DOUBLE");
  EXPECT_EQ(path_of(file, list[2].matrix), "/Results/Discrete/H5T_NATIVE_INT32");
  EXPECT_EQ(path_of(file, list[3].matrix), "/Results/Discrete/H5T_C_S1");
  const auto numbers = matrix<double>(file, "/Results/Continuous/H5T_NATIVE_DOUBLE", H5T_NATIVE_DOUBLE, 3, 3);
  EXPECT_EQ(numbers, (std::vector<double>{0, 1, 0, 0.5, 0, -3.25, 0.5, 0, 2.5}));
  EXPECT_EQ(list[4].column, 2u);
  EXPECT_EQ((matrix<std::int32_t>(file, "/Results/Discrete/H5T_NATIVE_INT32", H5T_NATIVE_INT32, 3, 1)),
            (std::vector<std::int32_t>{0, 0, 1}));
  H5Fclose(file);
}

// A head of two continuous variables and one that is whole; rows come later.
MtsfContent streamed() {
  MtsfContent head;
  MtsfVariable hits{"hits", {}, {}, 1};
  hits.type = MtsfVariable::Type::integer;
  hits.variability = MtsfVariable::Variability::discrete;
  head.variables = {{"h", "height", "m", 0}, hits, {"v", {}, "m/s", 2}};
  head.numbers_per_row = 3;
  return head;
}

// Appends rows first … first + count - 1; row r is at the time r.
bool append(MtsfStream& stream, int first, int count, bool last) {
  std::vector<double> time, numbers;
  for (int row = first; row < first + count; ++row) {
    time.push_back(row);
    numbers.insert(numbers.end(), {row + 0.5, static_cast<double>(row % 7), -1.0 * row});
  }
  return stream.append(time, numbers.data(), last);
}

void expect_rows(const std::string& path, std::size_t rows) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto numbers = matrix<double>(file, "/Results/Continuous/H5T_NATIVE_DOUBLE", H5T_NATIVE_DOUBLE, rows, 3);
  const auto hits = matrix<std::int32_t>(file, "/Results/Discrete/H5T_NATIVE_INT32", H5T_NATIVE_INT32, rows, 1);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto x = static_cast<double>(row);
    ASSERT_EQ(numbers[3 * row], x);
    ASSERT_EQ(numbers[3 * row + 1], x + 0.5);
    ASSERT_EQ(numbers[3 * row + 2], -x);
    ASSERT_EQ(hits[row], static_cast<int>(row % 7));
  }
  EXPECT_EQ(path_of(file, variables(file, 4)[2].matrix), "/Results/Discrete/H5T_NATIVE_INT32");
  H5Fclose(file);
}

TEST(MtsfStream, GrowsByBlocksOfAnySize) {
  const std::string path = testing::TempDir() + "orrery_stream_" + std::to_string(::getpid()) + ".mtsf";
  for (const bool in_one_go : {true, false}) {
    MtsfStream stream(path, streamed());
    int rows = 0;
    for (const int count : {1, 4096, 30000, 0, 7}) {
      if (in_one_go) break;
      ASSERT_TRUE(append(stream, rows, count, false));
      rows += count;
    }
    ASSERT_TRUE(append(stream, rows, 5, true));
    ASSERT_TRUE(stream.close("dopri"));
    expect_rows(path, static_cast<std::size_t>(rows + 5));
  }
  std::remove(path.c_str());
}

// The process ends as by kill -9: nothing is closed. What was flushed is there, and nothing else is needed to read it.
TEST(MtsfStream, IsReadableUpToTheLastFlush) {
  const std::string path = testing::TempDir() + "orrery_killed_" + std::to_string(::getpid()) + ".mtsf";
  for (const int flushed : {1, 40}) {
    const pid_t child = ::fork();
    if (child == 0) {
      MtsfStream stream(path, streamed());
      bool good = true;
      for (int block = 0; block < 200; ++block) {
        good = good && append(stream, block * 4096, 4096, false);
        if (block == flushed - 1) good = good && stream.flush();
      }
      ::kill(::getpid(), good ? SIGKILL : SIGABRT);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    expect_rows(path, static_cast<std::size_t>(flushed) * 4096);
  }
  std::remove(path.c_str());
}

TEST(MtsfStream, SaysWhyItCannotBeWritten) {
  MtsfStream stream("/no/such/folder/x.mtsf", streamed());
  EXPECT_FALSE(append(stream, 0, 10, false));
  EXPECT_EQ(stream.error(), ENOENT);
  EXPECT_FALSE(stream.flush());
  EXPECT_FALSE(stream.close(""));
}

TEST(Mtsf, WithoutRows) {
  Diagnostics diagnostics;
  MtsfContent content;
  auto bytes = mtsf_bytes(content, "x.mtsf", diagnostics);
  ASSERT_TRUE(bytes);
  const hid_t file = opened(*bytes);
  ASSERT_GE(file, 0);
  matrix<double>(file, "/Results/Continuous/H5T_NATIVE_DOUBLE", H5T_NATIVE_DOUBLE, 0, 1);
  H5Fclose(file);
}

TEST(Mtsf, IsChosenByTheName) {
  EXPECT_TRUE(is_mtsf_name("a/x.mtsf"));
  EXPECT_TRUE(is_mtsf_name("x.h5"));
  EXPECT_FALSE(is_mtsf_name("x.csv"));
  EXPECT_FALSE(is_mtsf_name(".mtsf"));
  EXPECT_FALSE(is_mtsf_name("-"));
}

TEST(Mtsf, NamesOfOtherFormatsAreRefused) {
  for (const char* name : {"x.mat", "a/x.xlsx", "x.npz"}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(can_be_written(name, diagnostics)) << name;
    ASSERT_EQ(diagnostics.error_count(), 1) << name;
    EXPECT_EQ(diagnostics.all()[0].code, "output-unwritable");
  }
  for (const char* name : {"x.csv", "x.h5", "x", "x.txt", "-", "mat", "/dev/stdout"}) {
    Diagnostics diagnostics;
    EXPECT_TRUE(can_be_written(name, diagnostics)) << name;
  }
}

}  // namespace
}  // namespace orrery::io
