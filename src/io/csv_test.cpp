// SPDX-License-Identifier: Apache-2.0
// CSV files: exact round trips, quoting, atomic replacement, located errors.
#include "io/csv.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include "io/number_text.h"

namespace orrery::io {
namespace {

std::string scratch(const std::string& name) { return testing::TempDir() + "orrery_" + name; }

std::string first_code(const Diagnostics& diagnostics) {
  return diagnostics.all().empty() ? "" : diagnostics.all().front().code;
}

TEST(NumberText, ReadsBackToTheSameBits) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 100000; ++k) {
    const std::uint64_t bits = random();
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x)) continue;
    const std::optional<double> back = parse_number(number_text(x));
    ASSERT_TRUE(back);
    ASSERT_EQ(std::memcmp(&*back, &x, sizeof x), 0) << number_text(x);
  }
}

TEST(NumberText, SpellsSpecialValuesAndRefusesOthers) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_TRUE(std::isnan(parse_number("nan").value()));
  EXPECT_EQ(parse_number(" +2.5\t").value(), 2.5);
  EXPECT_EQ(parse_number("-1e999").value(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("1e-999").value(), 0);
  for (const char* text : {"", " ", "1,5", "1.5x", "+", "0x10", "--1"}) EXPECT_FALSE(parse_number(text)) << text;
  EXPECT_EQ(short_number(1.0 / 3.0, 4), "0.3333");
}

TEST(Csv, WritesAndReadsBack) {
  const std::string path = scratch("round_trip.csv");
  Diagnostics diagnostics;
  auto file = OutputFile::open(path, diagnostics);
  ASSERT_TRUE(file);
  CsvWriter writer(*file);
  writer.header({"/Scope.1", "a, \"b\"\nc"});
  writer.row(0, std::vector<double>{1.0 / 3.0, -0.0});
  writer.row(0.1, std::vector<double>{std::numeric_limits<double>::infinity(), 5e-324});
  writer.row(0.1, std::vector<double>{7, 8});
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(file->commit(diagnostics));
  const auto series = read_csv(path, diagnostics);
  ASSERT_TRUE(series) << to_text(diagnostics);
  EXPECT_EQ(series->names, (std::vector<std::string>{"/Scope.1", "a, \"b\"\nc"}));
  EXPECT_EQ(series->time, (std::vector<double>{0, 0.1, 0.1}));
  EXPECT_EQ(series->columns[0], (std::vector<double>{1.0 / 3.0, std::numeric_limits<double>::infinity(), 7}));
  EXPECT_TRUE(std::signbit(series->columns[1][0]));
  std::filesystem::remove(path);
}

TEST(Csv, FormulasAreDisarmedOnRequest) {
  const std::string path = scratch("formulas.csv");
  for (const bool safe : {false, true}) {
    Diagnostics diagnostics;
    auto file = OutputFile::open(path, diagnostics);
    ASSERT_TRUE(file);
    file->disarm_formulas(safe);
    CsvWriter writer(*file);
    writer.header({"=cmd()", "+1", "-1", "@x", "plain", "a,\"b\""});
    writer.row(0, std::vector<double>{-1, 2, 3, 4, 5, 6});
    ASSERT_TRUE(file->commit(diagnostics));
    EXPECT_EQ(read_file(path, diagnostics),
              std::string(safe ? "time,\"'=cmd()\",\"'+1\",\"'-1\",\"'@x\"" : "time,=cmd(),+1,-1,@x") +
                  ",plain,\"a,\"\"b\"\"\"\n0,-1,2,3,4,5,6\n");
  }
  std::filesystem::remove(path);
}

TEST(Csv, TablesHaveALargestWidth) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_csv("time" + std::string(2'000'000, ',') + "\n1\n", "wide.csv", diagnostics, {}));
  ASSERT_EQ(diagnostics.error_count(), 1);
  EXPECT_EQ(first_code(diagnostics), "csv-columns");
}

TEST(OutputFile, IsNotLedElsewhere) {
  const std::string path = scratch("led.txt"), victim = scratch("victim.txt");
  const std::string part = path + "." + std::to_string(::getpid()) + ".part";
  Diagnostics diagnostics;
  ASSERT_TRUE(write_file(victim, "precious", diagnostics));
  std::filesystem::remove(part);
  std::filesystem::create_symlink(victim, part);
  ASSERT_TRUE(write_file(path, "text", diagnostics)) << to_text(diagnostics);
  EXPECT_EQ(read_file(victim, diagnostics), "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  EXPECT_EQ(read_file(path, diagnostics), "text");
  std::filesystem::remove(path);
  std::filesystem::remove(victim);
}

// A link that another user has put into a folder that everybody can write; links of one's own are followed.
TEST(OutputFile, LinksOfOthersInSharedFoldersAreNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes links of others";
  namespace fs = std::filesystem;
  const std::string shared = scratch("shared_folder"), victim = scratch("victim.txt");
  Diagnostics diagnostics;
  ASSERT_TRUE(write_file(victim, "precious", diagnostics));
  fs::create_directories(shared);
  ASSERT_EQ(::chmod(shared.c_str(), 01777), 0);
  fs::create_symlink(victim, shared + "/out.csv");
  fs::create_directory_symlink(fs::path(victim).parent_path(), shared + "/folder");
  for (const std::string& path : {shared + "/out.csv", shared + "/folder/" + fs::path(victim).filename().string()}) {
    const std::string link = path.ends_with("out.csv") ? path : shared + "/folder";
    ASSERT_EQ(::lchown(link.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(write_file(path, "replaced", diagnostics)) << path;
    EXPECT_EQ(read_file(victim, diagnostics), "precious");
    ASSERT_EQ(::lchown(link.c_str(), 0, 0), 0);
    EXPECT_TRUE(write_file(path, "precious", diagnostics)) << to_text(diagnostics);
    EXPECT_TRUE(fs::is_symlink(link));
  }
  fs::remove_all(shared);
  fs::remove(victim);
}

TEST(OutputFile, DevicesWithoutEndAreTooLarge) {
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP();
  Diagnostics diagnostics;
  EXPECT_FALSE(read_file("/dev/zero", diagnostics));
  EXPECT_EQ(first_code(diagnostics), "file-too-large");
}

TEST(OutputFile, LeavesTheOldFileAloneUntilCommit) {
  const std::string path = scratch("atomic.txt");
  Diagnostics diagnostics;
  ASSERT_TRUE(write_file(path, "old", diagnostics));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  {
    auto file = OutputFile::open(path, diagnostics);
    ASSERT_TRUE(file);
    file->write("never finished");
  }
  EXPECT_EQ(read_file(path, diagnostics), "old");
  ASSERT_TRUE(write_file(path, "new", diagnostics));
  EXPECT_EQ(read_file(path, diagnostics), "new");
  struct stat status = {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
  std::filesystem::remove(path);
}

TEST(OutputFile, KeepsSymbolicLinks) {
  const std::string target = scratch("target.txt"), link = scratch("link.txt");
  std::filesystem::remove(link);
  Diagnostics diagnostics;
  ASSERT_TRUE(write_file(target, "old", diagnostics));
  std::filesystem::create_symlink(target, link);
  ASSERT_TRUE(write_file(link, "new", diagnostics));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(target, diagnostics), "new");
  std::filesystem::remove(link);
  std::filesystem::remove(target);
}

TEST(OutputFile, SaysWhyAPlaceCannotBeWritten) {
  Diagnostics diagnostics;
  EXPECT_FALSE(OutputFile::open("/no/such/folder/out.csv", diagnostics));
  ASSERT_EQ(diagnostics.error_count(), 1);
  EXPECT_EQ(diagnostics.all()[0].code, "output-unwritable");
  EXPECT_EQ(diagnostics.all()[0].place.file, "/no/such/folder/out.csv");
  EXPECT_NE(diagnostics.all()[0].message.find("No such file or directory"), std::string::npos);
  EXPECT_FALSE(OutputFile::open(testing::TempDir(), diagnostics));
  EXPECT_NE(diagnostics.all()[1].message.find("directory"), std::string::npos);
}

TEST(OutputFile, ReportsAFullDevice) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  Diagnostics diagnostics;
  EXPECT_FALSE(write_file("/dev/full", "text", diagnostics));
  EXPECT_EQ(first_code(diagnostics), "output-unwritable");
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

TEST(OutputFile, CanTakeBackWhatIsHeld) {
  const std::string pipe = scratch("pipe_" + std::to_string(::getpid())), path = scratch("taken_back.txt");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  for (const std::string& name : {pipe, path}) {
    Diagnostics diagnostics;
    auto file = OutputFile::open(name, diagnostics);
    ASSERT_TRUE(file);
    file->hold();
    file->write("first");
    EXPECT_TRUE(file->flush());
    EXPECT_TRUE(file->rewind());
    file->write("second");
    EXPECT_TRUE(file->commit(diagnostics)) << to_text(diagnostics);
  }
  char text[20] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 6);
  EXPECT_STREQ(text, "second");
  Diagnostics diagnostics;
  EXPECT_EQ(read_file(path, diagnostics), "second");
  auto file = OutputFile::open(pipe, diagnostics);  // nothing holds it
  file->write("gone");
  EXPECT_TRUE(file->flush());
  EXPECT_FALSE(file->rewind());
  ::close(reader);
  std::filesystem::remove(pipe);
  std::filesystem::remove(path);
}

TEST(OutputFile, KeepsWhatWasWrittenBeforeAFailure) {
  const std::string path = scratch("given_up.txt");
  Diagnostics diagnostics;
  auto file = OutputFile::open(path, diagnostics);
  ASSERT_TRUE(file);
  file->write("0,1\n");
  EXPECT_TRUE(file->flush());
  file->fail(ENOSPC);
  file->write("1,2\n");
  EXPECT_FALSE(file->flush());
  file->give_up("the 1 rows up to t = 0", diagnostics);
  const std::string part = path + "." + std::to_string(::getpid()) + ".part";
  ASSERT_EQ(diagnostics.error_count(), 1);
  EXPECT_EQ(diagnostics.all()[0].message,
            "cannot write " + path + ": No space left on device; the 1 rows up to t = 0 are in " + part);
  EXPECT_EQ(read_file(part, diagnostics), "0,1\n");
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::remove(part);
}

// However a write is cut: the process that made the mess is gone when it is cleared.
TEST(OutputFile, LeavesWholeLinesWhenItIsKilled) {
  const std::string path = scratch("guarded.csv");
  for (const std::string& last : {std::string("1,2.5"), std::string(200000, '3'), std::string()}) {
    const pid_t child = ::fork();
    if (child == 0) {
      Diagnostics diagnostics;
      auto file = OutputFile::open(path, diagnostics);
      file->guard_lines(true);
      file->write("time,x\n0,1.5\n" + last);
      file->flush();
      ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    const std::string part = path + "." + std::to_string(child) + ".part";
    Diagnostics diagnostics;
    for (int k = 0; k < 500 && read_file(part, diagnostics) != "time,x\n0,1.5\n"; ++k) ::usleep(10000);
    EXPECT_EQ(read_file(part, diagnostics), "time,x\n0,1.5\n");
    std::filesystem::remove(part);
  }
}

TEST(CsvReader, AcceptsTablesOfOtherPrograms) {
  Diagnostics diagnostics;
  const auto series = parse_csv("\xEF\xBB\xBFt, x\r\n\r\n0 , 1\r\n\"1\",\"2.5\"\r\n", "x.csv", diagnostics);
  ASSERT_TRUE(series) << to_text(diagnostics);
  EXPECT_EQ(series->columns[0], (std::vector<double>{1, 2.5}));
  const auto blanks = parse_csv("\"Time\" , \"a, b\"\t,c\n0 , \"1\" ,2\n", "x.csv", diagnostics);
  ASSERT_TRUE(blanks) << to_text(diagnostics);
  EXPECT_EQ(blanks->names, (std::vector<std::string>{"a, b", "c"}));
  EXPECT_EQ(blanks->columns[1], (std::vector<double>{2}));
}

TEST(CsvReader, IsLenientWhenAsked) {
  CsvOptions options;
  options.lenient = true;
  const auto read = [&](const char* text) {
    Diagnostics diagnostics;
    const auto series = parse_csv(text, "x.csv", diagnostics, options);
    EXPECT_TRUE(series) << to_text(diagnostics);
    return series.value_or(TimeSeries{});
  };
  TimeSeries series = read("\xEF\xBB\xBFtime;x;A[1,2]\r\n0,5;1;-2,5e1\r\n");
  EXPECT_EQ(series.names, (std::vector<std::string>{"x", "A[1,2]"}));
  EXPECT_EQ(series.time, std::vector<double>{0.5});
  EXPECT_EQ(series.columns[1], std::vector<double>{-25});
  series = read("time\tx\n0\t1\n");
  EXPECT_EQ(series.columns[0], std::vector<double>{1});
  series = read("time,A[1,2],\"b[\",c,\n0,1,2,3,\n1,4,5,6\n");
  EXPECT_EQ(series.names, (std::vector<std::string>{"A[1,2]", "b[", "c"}));
  EXPECT_EQ(series.columns[2], (std::vector<double>{3, 6}));
  options.cell = [](const std::vector<std::string>& names, std::size_t column, const std::string& cell) {
    return names[column] == "b" && cell == "true" ? std::optional(1.0) : std::nullopt;
  };
  series = read("time,b,x\n0,true,2\n1,0,3\n");
  EXPECT_EQ(series.columns[0], (std::vector<double>{1, 0}));
}

struct BadTable {
  const char* text;
  const char* code;
  int line, column;
};

class BadTables : public testing::TestWithParam<BadTable> {};

TEST_P(BadTables, AreLocated) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_csv(GetParam().text, "x.csv", diagnostics));
  ASSERT_FALSE(diagnostics.all().empty());
  const Diagnostic& first = diagnostics.all().front();
  EXPECT_EQ(first.code, GetParam().code);
  EXPECT_EQ(first.place.line, GetParam().line);
  EXPECT_EQ(first.place.column, GetParam().column);
  EXPECT_FALSE(first.help.empty());
}

INSTANTIATE_TEST_SUITE_P(Csv, BadTables,
                         testing::Values(BadTable{"", "csv-empty", 1, 1}, BadTable{"\n\n", "csv-empty", 3, 1},
                                         BadTable{"time;x\n0;1\n", "csv-separator", 1, 1},
                                         BadTable{"time,x\n0,1\n1\n", "csv-row-length", 3, 1},
                                         BadTable{"time,x\n0,one\n", "csv-number", 2, 3},
                                         BadTable{"time,x\nnan,1\n", "csv-number", 2, 1},
                                         BadTable{"time,x\n1,0\n0.5,0\n", "csv-time-order", 3, 1},
                                         BadTable{"time,x\n1,\"0\n", "csv-quote", 2, 3},
                                         BadTable{"time,x\n1,\"0\"z\n", "csv-quote", 2, 6}));

TEST(CsvReader, ReportsSeveralErrorsButNotThousands) {
  std::string text = "time,x\n";
  for (int k = 0; k < 1000; ++k) text += "0,bad\n";
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_csv(text, "x.csv", diagnostics));
  EXPECT_EQ(diagnostics.error_count(), 20);
}

TEST(CsvReader, SurvivesMutations) {
  const std::string good = "time,x,\"y,\"\"z\"\n0,1,2\r\n0.5,nan,-1e5\n\n1,\"3\",4\n";
  std::mt19937 random(7);
  for (int k = 0; k < 20000; ++k) {
    std::string text = good;
    for (int j = 0; j < 3; ++j) text[random() % text.size()] = "\",\n\r0e-x\0;"[random() % 10];
    text.resize(random() % (text.size() + 1));
    Diagnostics diagnostics;
    const auto series = parse_csv(text, "x.csv", diagnostics);
    ASSERT_EQ(series.has_value(), !diagnostics.has_errors());
    if (!series) continue;
    for (const auto& column : series->columns) ASSERT_EQ(column.size(), series->time.size());
  }
}

TEST(Csv, EmptyCellsAreGapsOnlyWhereTheyAreExpected) {
  const std::string text = "time,x,y\n0,,1\n1,2,\n";
  Diagnostics diagnostics;
  const auto series = parse_csv(text, "gaps.csv", diagnostics, {.gaps = true, .cell = {}});
  ASSERT_TRUE(series) << to_text(diagnostics);
  EXPECT_TRUE(std::isnan(series->columns[0][0]) && std::isnan(series->columns[1][1]));
  EXPECT_EQ(series->columns[0][1], 2);
  EXPECT_FALSE(parse_csv(text, "gaps.csv", diagnostics));
}

}  // namespace
}  // namespace orrery::io
