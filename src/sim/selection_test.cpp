// SPDX-License-Identifier: Apache-2.0
// Choosing rows and columns on their way to a sink, however they are cut into blocks.
#include "sim/selection.h"

#include <gtest/gtest.h>

#include "sim/memory_sink.h"
#include "sim/options.h"

namespace orrery::sim {
namespace {

// Rows 0 … count - 1 of the columns a, b, c with the values row, row + 0.25, row + 0.5, in blocks of a size. The column
// b has no value before the row `first`.
Recording selected(std::size_t count, std::size_t block_rows, std::size_t every, const std::string& wanted,
                   std::size_t first = 0) {
  const program::Program program;
  const RunOptions options;
  MemorySink memory;
  Selection selection(
      memory, [&](const Column& column) { return wanted.find(column.name) != std::string::npos; }, every);
  std::vector<Column> columns{{"a", 0}, {"b", 1, first}, {"c", 2}};
  EXPECT_TRUE(selection.begin({program, options, columns}));
  for (std::size_t row = 0; row < count || row == 0;) {
    std::vector<double> time, values;
    std::vector<Phase> phase;
    const std::size_t from = row;
    for (; row < count && row < from + block_rows; ++row) {
      const auto x = static_cast<double>(row);
      time.push_back(x);
      phase.push_back(row == 0 ? Phase::initial : Phase::mesh);
      values.insert(values.end(), {x, x + 0.25, x + 0.5});
    }
    columns[1].first = first < row ? first : SIZE_MAX;
    EXPECT_TRUE(selection.rows({columns, from, time, phase, values.data(), false}));
    if (count == 0) break;
  }
  EXPECT_TRUE(selection.rows({columns, count, {}, {}, nullptr, true}));  // the end comes with a block of its own
  return memory.release();
}

TEST(Selection, IsTheSameForAllSizesOfBlocks) {
  for (const std::size_t count : {0u, 1u, 2u, 9u, 10u, 11u, 100u}) {
    for (const std::size_t every : {1u, 2u, 3u, 7u, 200u}) {
      for (const std::size_t block : {1u, 2u, 4u, 7u, 1000u}) {
        const Recording rows = selected(count, block, every, "ac");
        std::vector<double> time;
        for (std::size_t row = 0; row < count; row += every) time.push_back(static_cast<double>(row));
        if (count > 0 && (count - 1) % every != 0) time.push_back(static_cast<double>(count - 1));
        ASSERT_EQ(rows.time, time) << count << " rows, every " << every << ", blocks of " << block;
        ASSERT_EQ(rows.columns.size(), 2u);
        for (std::size_t row = 0; row < rows.rows(); ++row) {
          EXPECT_EQ(rows.value(row, 0), time[row]);
          EXPECT_EQ(rows.value(row, 1), time[row] + 0.5);
        }
      }
    }
  }
}

TEST(Selection, KnowsWhereASignalBegins) {
  for (const std::size_t block : {1u, 4u, 1000u}) {
    EXPECT_EQ(selected(20, block, 5, "b", 0).columns[0].first, 0u);
    EXPECT_EQ(selected(20, block, 5, "b", 5).columns[0].first, 1u);
    EXPECT_EQ(selected(20, block, 5, "b", 6).columns[0].first, 2u);
    EXPECT_EQ(selected(20, block, 5, "b", 19).columns[0].first, 4u);  // of the last row, which is no fifth one
    EXPECT_EQ(selected(20, block, 5, "b", 99).columns[0].first, SIZE_MAX);
  }
}

TEST(Selection, TellsOnlyOfRowsThatItTook) {
  const program::Program program;
  const RunOptions options;
  MemorySink memory;
  Selection selection(memory, nullptr, 2);
  const std::vector<Column> columns{{"a", 0}};
  ASSERT_TRUE(selection.begin({program, options, columns}));
  const std::vector<double> time{0, 1};
  const std::vector<Phase> phase{Phase::initial, Phase::mesh};
  ASSERT_TRUE(selection.rows({columns, 0, time, phase, time.data(), false}));
  selection.relabel_last(Phase::left_of_event);
  EXPECT_EQ(memory.recording().phase, (std::vector<Phase>{Phase::initial}));
  ASSERT_TRUE(selection.rows({columns, 2, {}, {}, nullptr, true}));
  EXPECT_EQ(memory.recording().phase, (std::vector<Phase>{Phase::initial, Phase::left_of_event}));
}

}  // namespace
}  // namespace orrery::sim
