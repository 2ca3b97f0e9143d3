// SPDX-License-Identifier: Apache-2.0
// The CSV writer, and a reader that says where a table is wrong.
#include "io/csv.h"

#include <algorithm>
#include <limits>

#include "io/number_text.h"

namespace orrery::io {

void CsvWriter::separate() {
  if (!first_) line_ += ',';
  first_ = false;
}

void CsvWriter::text(std::string_view cell) {
  separate();
  const bool formula =
      file_.disarms_formulas() && !cell.empty() && std::string_view("=+-@\t\r").find(cell[0]) != std::string_view::npos;
  if (!formula && cell.find_first_of(",\"\r\n") == std::string_view::npos) {
    line_ += cell;
    return;
  }
  line_ += '"';
  if (formula) line_ += '\'';
  for (const char c : cell) {
    if (c == '"') line_ += '"';
    line_ += c;
  }
  line_ += '"';
}

void CsvWriter::number(double x) {
  separate();
  append_number(line_, x);
}

void CsvWriter::end_row() {
  line_ += '\n';
  file_.write(line_);
  line_.clear();
  first_ = true;
}

void CsvWriter::header(const std::vector<std::string>& names) {
  text("time");
  for (const std::string& name : names) text(name);
  end_row();
}

void CsvWriter::row(double time, std::span<const double> values) {
  number(time);
  for (const double x : values) number(x);
  end_row();
}

namespace {

constexpr int most_errors = 20;
constexpr std::size_t most_columns = 1'000'000;  // each takes a hundred bytes, whatever is in it

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, Diagnostics& diagnostics, const CsvOptions& options)
      : text_(text), file_(file), diagnostics_(diagnostics), options_(options) {
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = line_start_ = 3;
    if (options_.lenient) choose_separator();
  }

  std::optional<TimeSeries> read() {
    TimeSeries series;
    std::vector<Cell> cells;
    if (!next_row(cells)) {
      if (errors_ > 0) return std::nullopt;
      error("csv-empty", line_, 1, "the file has no header line", "the first line names the columns: time,x,y");
      return std::nullopt;
    }
    if (options_.lenient) mend_header(cells);
    if (separator_ == ',' && cells.size() == 1 && cells[0].text.find(';') != std::string::npos) {
      error("csv-separator", cells[0].line, 1, "the cells are separated by semicolons", "separate them by commas");
      return std::nullopt;
    }
    for (std::size_t k = 1; k < cells.size(); ++k) series.names.push_back(cells[k].text);
    series.columns.resize(series.names.size());
    while (errors_ < most_errors && next_row(cells)) add_row(cells, series);
    if (errors_ > 0) return std::nullopt;
    return series;
  }

 private:
  struct Cell {
    std::string text;
    int line = 1;
    int column = 1;
    bool quoted = false;
  };

  // The first line decides; commas where there are any.
  void choose_separator() {
    const std::string_view head = text_.substr(0, text_.find('\n', position_));
    for (const char separator : {',', ';', '\t'}) {
      if (head.find(separator) == std::string_view::npos) continue;
      separator_ = separator;
      // "A[1,2];b" has a comma, but it separates nothing.
      if (separator == ',' && head.find(';') != std::string_view::npos && head.find('[') != std::string_view::npos) {
        separator_ = ';';
      }
      ends_[0] = separator_;
      return;
    }
  }

  // Joins "A[1" and "2]", drops an empty last cell.
  void mend_header(std::vector<Cell>& cells) {
    std::vector<Cell> mended;
    long open = 0;
    for (Cell& cell : cells) {
      if (open > 0) {
        mended.back().text += separator_ + cell.text;
      } else {
        mended.push_back(cell);
      }
      if (cell.quoted) continue;
      open += std::count(cell.text.begin(), cell.text.end(), '[') - std::count(cell.text.begin(), cell.text.end(), ']');
    }
    cells = std::move(mended);
    if (cells.size() > 1 && is_blank(cells.back())) cells.pop_back();
  }

  static bool is_blank(const Cell& cell) { return cell.text.find_first_not_of(" \t") == std::string::npos; }

  void error(const char* code, int line, int column, std::string message, std::string help) {
    ++errors_;
    Place place;
    place.file = file_;
    place.line = line;
    place.column = column;
    diagnostics_.error(code, std::move(place), std::move(message), std::move(help));
  }

  bool at_end() const { return position_ >= text_.size(); }
  bool at_line_end() const { return at_end() || text_[position_] == '\n' || text_[position_] == '\r'; }

  void skip_line_end() {
    if (position_ < text_.size() && text_[position_] == '\r') ++position_;
    if (position_ < text_.size() && text_[position_] == '\n') ++position_;
    ++line_;
    line_start_ = position_;
  }

  // The cells of the next line that is not blank; false at the end of the text.
  bool next_row(std::vector<Cell>& cells) {
    do {
      cells.clear();
      while (!at_end() && at_line_end()) skip_line_end();
      if (at_end()) return false;
      while (true) {
        cells.push_back(next_cell());
        if (at_line_end()) break;
        if (cells.size() == most_columns) {
          error("csv-columns", line_, 1, "this line has more than " + std::to_string(most_columns) + " cells",
                "divide the table");
          position_ = text_.size();
          return false;
        }
        ++position_;  // the comma
      }
      if (!at_end()) skip_line_end();
    } while (cells.size() == 1 && !cells[0].quoted && is_blank(cells[0]));
    return true;
  }

  // Some programs write blanks around quoted cells: "Time" , "x"
  void skip_blanks_before_quote() {
    const std::size_t next = text_.find_first_not_of(separator_ == '\t' ? " " : " \t", position_);
    if (next != std::string_view::npos && text_[next] == '"') position_ = next;
  }

  Cell next_cell() {
    skip_blanks_before_quote();
    Cell cell{"", line_, static_cast<int>(position_ - line_start_) + 1, false};
    if (at_end() || text_[position_] != '"') {
      const std::size_t end = std::min(text_.find_first_of(ends_, position_), text_.size());
      cell.text = text_.substr(position_, end - position_);
      position_ = end;
      return cell;
    }
    cell.quoted = true;
    for (++position_; !at_end(); ++position_) {
      const char c = text_[position_];
      if (c == '"' && !text_.substr(position_ + 1).starts_with('"')) break;
      if (c == '"') ++position_;
      if (c == '\n') {
        ++line_;
        line_start_ = position_ + 1;
      }
      cell.text += c;
    }
    if (at_end()) {
      error("csv-quote", cell.line, cell.column, "this quoted cell is not closed", "end it with a double quote");
      return cell;
    }
    ++position_;
    const std::size_t end = std::min(text_.find_first_of(ends_, position_), text_.size());
    if (text_.substr(position_, end - position_).find_first_not_of(" \t") != std::string_view::npos) {
      error("csv-quote", line_, static_cast<int>(position_ - line_start_) + 1, "text follows a quoted cell",
            "write a double quote inside a quoted cell twice");
    }
    position_ = end;
    return cell;
  }

  std::optional<double> value_of(const Cell& cell, std::size_t column, const TimeSeries& series) const {
    if (column > 0 && options_.cell) {
      if (const auto value = options_.cell(series.names, column - 1, cell.text)) return value;
    }
    if (column > 0 && options_.gaps && cell.text.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (const auto value = parse_number(cell.text)) return value;
    if (separator_ == ',' || std::count(cell.text.begin(), cell.text.end(), ',') != 1) return std::nullopt;
    std::string text = cell.text;
    text[text.find(',')] = '.';
    return parse_number(text);
  }

  void add_row(std::vector<Cell>& cells, TimeSeries& series) {
    if (options_.lenient && cells.size() == series.columns.size() + 2 && is_blank(cells.back())) cells.pop_back();
    if (cells.size() != series.columns.size() + 1) {
      error("csv-row-length", cells[0].line, 1,
            "this line has " + std::to_string(cells.size()) + " cells, the header has " +
                std::to_string(series.columns.size() + 1),
            "every line needs one cell for each column");
      return;
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::optional<double> x = value_of(cells[k], k, series);
      if (!x || (k == 0 && !(*x - *x == 0))) {
        error("csv-number", cells[k].line, cells[k].column,
              "\"" + cells[k].text + "\" is not a " + (k == 0 ? "finite " : "") + "number",
              "write it like 1.5 or -2e-3, with a point");
      } else if (k > 0) {
        series.columns[k - 1].push_back(*x);
      } else {
        if (!series.time.empty() && *x < series.time.back()) {
          error("csv-time-order", cells[0].line, cells[0].column,
                "the time goes back from " + number_text(series.time.back()) + " to " + number_text(*x),
                "sort the lines by time");
        }
        series.time.push_back(*x);
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  const CsvOptions& options_;
  char separator_ = ',';
  std::string ends_ = ",\r\n";  // of a cell
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  int errors_ = 0;
};

}  // namespace

std::optional<TimeSeries> parse_csv(std::string_view text, const std::string& file, Diagnostics& diagnostics,
                                    const CsvOptions& options) {
  return Reader(text, file, diagnostics, options).read();
}

std::optional<TimeSeries> read_csv(const std::string& path, Diagnostics& diagnostics, const CsvOptions& options) {
  const std::optional<std::string> text = read_file(path, diagnostics);
  if (!text) return std::nullopt;
  return parse_csv(*text, path, diagnostics, options);
}

}  // namespace orrery::io
