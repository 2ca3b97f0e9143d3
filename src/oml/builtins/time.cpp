// SPDX-License-Identifier: Apache-2.0
// Dates, times and stop watches. Day numbers count from year 0 as in MATLAB: 1 January 1970 is 719529.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>
#include <thread>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

// Days from civil by Howard Hinnant's published algorithm.
double day_number(double year, double month, double day) {
  const double whole_month = std::floor(month);
  year += std::floor((whole_month - 1) / 12);
  const double m = std::fmod(std::fmod(whole_month - 1, 12) + 12, 12) + 1;
  const double y = m <= 2 ? year - 1 : year;
  const double era = std::floor(y / 400), yoe = y - era * 400;
  const double doy = std::floor((153 * (m + (m > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const double doe = yoe * 365 + std::floor(yoe / 4) - std::floor(yoe / 100) + doy;
  return era * 146097 + doe - 719468 + 719529;
}

struct Civil {
  double year, month, day, hour, minute, second;
};

Civil civil_of(double number) {
  const double days = std::floor(number);
  double seconds = (number - days) * 86400;
  seconds = std::round(seconds * 1e5) / 1e5;
  const double z = days - 719529 + 719468, era = std::floor(z / 146097), doe = z - era * 146097;
  const double yoe =
      std::floor((doe - std::floor(doe / 1460) + std::floor(doe / 36524) - std::floor(doe / 146096)) / 365);
  const double doy = doe - (365 * yoe + std::floor(yoe / 4) - std::floor(yoe / 100)),
               mp = std::floor((5 * doy + 2) / 153);
  const double month = mp < 10 ? mp + 3 : mp - 9;
  Civil c{yoe + era * 400 + (month <= 2 ? 1 : 0), month, doy - std::floor((153 * mp + 2) / 5) + 1, 0, 0, 0};
  c.hour = std::floor(seconds / 3600);
  c.minute = std::floor((seconds - c.hour * 3600) / 60);
  c.second = seconds - c.hour * 3600 - c.minute * 60;
  return c;
}

double number_of(const std::vector<double>& v) {
  const auto at = [&](std::size_t k, double fallback) { return k < v.size() ? v[k] : fallback; };
  return day_number(at(0, 0), at(1, 1), at(2, 1)) + (at(3, 0) + (at(4, 0) + at(5, 0) / 60) / 60) / 24;
}

double now_number() {
  const auto t = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(t);
  std::tm local{};
  localtime_r(&seconds, &local);
  return day_number(local.tm_year + 1900, local.tm_mon + 1, local.tm_mday) +
         (local.tm_hour + (local.tm_min + local.tm_sec / 60.0) / 60) / 24;
}

// The formats people write: yyyy-mm-dd HH:MM:SS, dd-mmm-yyyy, mm/dd/yyyy and so on, by position of the numbers.
double parse_date(const std::string& s) {
  static constexpr const char* months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                           "jul", "aug", "sep", "oct", "nov", "dec"};
  int a = 0, b = 0, y = 0, h = 0, mi = 0;
  double sec = 0;
  char name[8] = {};
  if (std::sscanf(s.c_str(), "%d-%3[a-zA-Z]-%d %d:%d:%lf", &a, name, &y, &h, &mi, &sec) >= 3) {
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    for (int k = 0; k < 12; ++k)
      if (lower == months[k]) return number_of({double(y), double(k + 1), double(a), double(h), double(mi), sec});
  }
  if (std::sscanf(s.c_str(), "%4d%*1[-/]%d%*1[-/]%d%*1[ T]%d:%d:%lf", &y, &a, &b, &h, &mi, &sec) >= 3 && y > 31) {
    return number_of({double(y), double(a), double(b), double(h), double(mi), sec});
  }
  if (std::sscanf(s.c_str(), "%d/%d/%d %d:%d:%lf", &a, &b, &y, &h, &mi, &sec) >= 3) {
    return number_of({double(y), double(a), double(b), double(h), double(mi), sec});
  }
  fail("the date " + s + " is in no known format");
}

// A text in a format of yyyy yy mmm mm dd HH MM SS FFF PM QQ; years of two digits stay as they are.
Civil parse_with_format(const std::string& s, const std::string& format) {
  static constexpr std::string_view months = "janfebmaraprmayjunjulaugsepoctnovdec";
  Civil d{0, 1, 1, 0, 0, 0};
  std::size_t at = 0;
  int half = -1;  // of the day: 0 AM, 1 PM
  const auto bad = [&]() { fail("the date " + s + " is not in the format " + format); };
  const auto number = [&](std::size_t most) {
    std::size_t n = 0;
    double x = 0;
    for (; n < most && at < s.size() && std::isdigit(static_cast<unsigned char>(s[at])); ++n)
      x = 10 * x + (s[at++] - '0');
    if (n == 0) bad();
    return x;
  };
  for (std::size_t k = 0; k < format.size();) {
    const auto is = [&](std::string_view key) { return format.compare(k, key.size(), key) == 0 && (k += key.size()); };
    if (is("yyyy") || is("YYYY")) {
      d.year = number(4);
    } else if (is("yy") || is("YY")) {
      d.year = number(2);
    } else if (is("mmm")) {
      std::string name = s.substr(std::min(at, s.size()), 3);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char ch) { return std::tolower(ch); });
      const std::size_t found = name.size() == 3 ? months.find(name) : std::string_view::npos;
      if (found == std::string_view::npos || found % 3 != 0) bad();
      d.month = static_cast<double>(found / 3 + 1);
      at += 3;
    } else if (is("mm")) {
      d.month = number(2);
    } else if (is("dd")) {
      d.day = number(2);
    } else if (is("HH")) {
      d.hour = number(2);
    } else if (is("MM")) {
      d.minute = number(2);
    } else if (is("SS")) {
      d.second = number(2);
    } else if (is("FFF")) {
      d.second += number(3) / 1000;
    } else if (is("QQ")) {
      if (at < s.size() && (s[at] == 'Q' || s[at] == 'q')) ++at;
      d.month = 3 * number(1) - 2;
    } else if (is("PM") || is("AM")) {
      while (at < s.size() && s[at] == ' ') ++at;
      half = at < s.size() && (s[at] == 'P' || s[at] == 'p') ? 1 : 0;
      at += 2;
    } else {
      if (at >= s.size() || s[at] != format[k]) bad();
      ++at, ++k;
    }
  }
  if (half >= 0) d.hour = std::fmod(d.hour, 12) + 12 * half;
  return d;
}

// Months below 1 count as 1; beyond that they are whole.
std::vector<double> checked_date(std::vector<double> v) {
  if (v.size() < 2) return v;
  if (v[1] > 1 && v[1] != std::floor(v[1])) fail_argument(2, "must be a whole month");
  v[1] = std::max(v[1], 1.0);
  return v;
}

void datenum(Call& c) {
  if (c[0].is_text() || c[0].is_cell()) {
    std::vector<double> out;
    for (const std::string& s : text_list(c[0])) out.push_back(parse_date(s));
    return c.ret(unboxed(Value::column(out)));
  }
  if (c.count() == 1) {
    const Value v = to_real(c[0]);
    if (v.dims().cols() < 3) return c.ret(c[0]);
    Value out = Value::zeros(Dims(v.dims().rows(), 1));
    for (Index r = 0; r < out.numel(); ++r) {
      std::vector<double> row;
      for (Index k = 0; k < v.dims().cols(); ++k) row.push_back(v.real().at(r, k));
      out.edit_real()[r] = number_of(checked_date(row));
    }
    return c.ret(unboxed(out));
  }
  const std::vector<Value> parts(c.args.begin(), c.args.end());
  c.ret(zip_real(parts,
                 [&](const double* x) { return number_of(checked_date(std::vector<double>(x, x + parts.size()))); }));
}

std::vector<double> date_numbers(const Value& v) {
  std::vector<double> out;
  if (v.is_text() || v.is_cell())
    for (const std::string& s : text_list(v)) out.push_back(parse_date(s));
  else
    out = to_vector(v);
  return out;
}

void datevec(Call& c) {
  const std::vector<double> numbers = date_numbers(c[0]);
  Value out = Value::zeros(Dims(static_cast<Index>(numbers.size()), 6));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const Civil d = civil_of(numbers[k]);
    const double parts[] = {d.year, d.month, d.day, d.hour, d.minute, d.second};
    for (Index j = 0; j < 6; ++j) out.edit_real().at(static_cast<Index>(k), j) = parts[j];
  }
  if (c.nargout <= 1) return c.ret(out);
  for (Index j = 0; j < 6; ++j) {
    const Value column[] = {Value::colon(), Value(static_cast<double>(j + 1))};
    c.ret(index_value(out, column));
  }
}

void datestr(Call& c) {
  static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  // A row of six numbers whose first can be a year is a date vector.
  const bool vector =
      !c[0].is_text() && !c[0].is_cell() && c[0].numel() == 6 && to_vector(c[0])[1] <= 12 && to_vector(c[0])[0] < 10000;
  const std::vector<double> numbers = vector ? std::vector<double>{number_of(to_vector(c[0]))} : date_numbers(c[0]);
  const bool whole = std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == std::floor(x); });
  const std::string format = c.is_text(1) ? c.text(1) : whole ? "dd-mmm-yyyy" : "dd-mmm-yyyy HH:MM:SS";
  std::vector<std::string> rows;
  for (double number : numbers) {
    if (!(std::abs(number) < 1e9)) fail_argument(1, "must be a day number");
    const Civil d = civil_of(number);
    std::string out;
    const auto two = [](double x) { return std::string(x < 10 ? "0" : "") + std::to_string(static_cast<int>(x)); };
    for (std::size_t k = 0; k < format.size();) {
      const auto is = [&](std::string_view key) {
        return format.compare(k, key.size(), key) == 0 && (k += key.size());
      };
      if (is("yyyy"))
        out += std::to_string(static_cast<int>(d.year));
      else if (is("yy"))
        out += two(std::fmod(d.year, 100));
      else if (is("mmm"))
        out += months[static_cast<int>(d.month) - 1];
      else if (is("mm"))
        out += two(d.month);
      else if (is("dd"))
        out += two(d.day);
      else if (is("HH"))
        out += two(d.hour);
      else if (is("MM"))
        out += two(d.minute);
      else if (is("SS"))
        out += two(std::floor(d.second));
      else
        out += format[k++];
    }
    rows.push_back(out);
  }
  c.ret(rows.size() == 1 ? Value::text(rows[0]) : text_matrix(rows));
}

template <class F>
void date_part(Call& c, F f) {
  std::vector<double> out;
  if (c.has(1)) {
    const std::string format = c.text(1);
    for (const std::string& s : text_list(c[0])) out.push_back(f(parse_with_format(s, format)));
    return c.ret(unboxed(Value::column(out)));
  }
  for (double n : date_numbers(c[0])) out.push_back(f(civil_of(n)));
  if (c[0].is_text() || c[0].is_cell()) return c.ret(unboxed(Value::column(out)));
  Value v = Value::zeros(c[0].dims());
  std::copy(out.begin(), out.end(), v.edit_real().data.begin());
  c.ret(unboxed(v));
}

using Clock = std::chrono::steady_clock;

struct Stopwatch {
  std::optional<Clock::duration> started;
};

void tic(Call& c) {
  const auto t = Clock::now().time_since_epoch();
  c.oml.extension<Stopwatch>().started = t;
  if (c.nargout > 0) c.ret(Value(std::chrono::duration<double, std::micro>(t).count()));
}

void toc(Call& c) {
  double start = 0;
  if (c.has(0)) {
    start = c.number(0) * 1e-6;
  } else {
    const std::optional<Clock::duration>& started = c.oml.extension<Stopwatch>().started;
    if (!started) fail("toc needs a tic before it");
    start = std::chrono::duration<double>(*started).count();
  }
  const double elapsed = std::chrono::duration<double>(Clock::now().time_since_epoch()).count() - start;
  if (c.nargout > 0) return c.ret(Value(elapsed));
  c.oml.write("Elapsed time is " + std::to_string(elapsed) + " seconds\n");
}

void clock_vector(Call& c) {
  const Civil d = civil_of(now_number());
  c.ret(Value::row({d.year, d.month, d.day, d.hour, d.minute, d.second}));
}

void pause_for(Call& c) {
  if (!c.has(0)) return;
  const auto end = Clock::now() + std::chrono::duration<double>(std::min(c.number(0), 3600.0));
  while (Clock::now() < end) {
    c.oml.tick();
    poll_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void weekday(Call& c) {
  std::vector<double> out;
  for (double n : date_numbers(c[0])) {
    if (!(std::abs(n) < 1e9)) fail_argument(1, "must be a day number");
    out.push_back(std::fmod(std::fmod(std::floor(n) + 5, 7) + 7, 7) + 1);
  }
  c.ret(unboxed(Value::column(out)));
  static constexpr const char* names[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  std::vector<std::string> days;
  for (double day : out) days.emplace_back(names[static_cast<int>(day) - 1]);
  c.ret(days.size() == 1 ? Value::text(days[0]) : text_matrix(days));
}

void addtodate(Call& c) {
  const double q = c.number(1);
  const std::string unit = c.text(2);
  c.ret(map_real(c[0], [&](double n) {
    Civil d = civil_of(n);
    if (unit == "year" || unit == "month")
      return number_of(
          {d.year + (unit == "year" ? q : 0), d.month + (unit == "month" ? q : 0), d.day, d.hour, d.minute, d.second});
    const double scale = unit == "day"      ? 1
                         : unit == "hour"   ? 1.0 / 24
                         : unit == "minute" ? 1.0 / 1440
                         : unit == "second" ? 1.0 / 86400
                                            : 1.0 / 86400000;
    return n + q * scale;
  }));
}

constexpr Builtin time_table[] = {
    {"datenum", 1, 6, datenum,
     "datenum(year, month, day, hour, minute, second): day number; also of a date vector or text.",
     "data cell, data, number, ..."},
    {"datevec", 1, 2, datevec,
     "datevec(n): [year month day hour minute second] of a day number or text; [y, m, d, h, mi, s] = datevec(n).",
     "data cell, data"},
    {"datestr", 1, 2, datestr, "datestr(n, format): text of a day number; yyyy mm dd HH MM SS stand for its parts.",
     "data cell, word"},
    {"year", 1, 2, [](Call& c) { date_part(c, [](const Civil& d) { return d.year; }); },
     "year(n), year(text, format): year of a day number.", "any, word"},
    {"quarter", 1, 2, [](Call& c) { date_part(c, [](const Civil& d) { return std::floor((d.month - 1) / 3) + 1; }); },
     "quarter(n), quarter(text, format): quarter of a day number.", "any, word"},
    {"month", 1, 2, [](Call& c) { date_part(c, [](const Civil& d) { return d.month; }); },
     "month(n), month(text, format): month of a day number.", "any, word"},
    {"day", 1, 2, [](Call& c) { date_part(c, [](const Civil& d) { return d.day; }); },
     "day(n), day(text, format): day of the month of a day number.", "any, word"},
    {"hour", 1, 2, [](Call& c) { date_part(c, [](const Civil& d) { return d.hour; }); },
     "hour(n), hour(text, format): hour of a day number.", "any, word"},
    {"minute", 1, 2, [](Call& c) { date_part(c, [](const Civil& d) { return d.minute; }); },
     "minute(n), minute(text, format): minute of a day number.", "any, word"},
    {"second", 1, 2, [](Call& c) { date_part(c, [](const Civil& d) { return d.second; }); },
     "second(n), second(text, format): second of a day number.", "any, word"},
    {"weekday", 1, 1, weekday, "[number, name] = weekday(n): 1 for Sunday to 7 for Saturday.", "any"},
    {"addtodate", 3, 3, addtodate,
     "addtodate(n, quantity, unit): day number moved by years, months, days, hours, minutes or seconds.",
     "real, real, option:year/month/day/hour/minute/second/millisecond"},
    {"now", 0, 0, [](Call& c) { c.ret(Value(now_number())); }, "now: day number of this moment."},
    {"clock", 0, 0, clock_vector, "clock: date vector of this moment."},
    {"time", 0, 0,
     [](Call& c) {
       c.ret(Value(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count()));
     },
     "time: seconds since 1 January 1970."},
    {"cputime", 0, 0, [](Call& c) { c.ret(Value(static_cast<double>(std::clock()) / CLOCKS_PER_SEC)); },
     "cputime: seconds of processor time used."},
    {"tic", 0, 0, tic, "tic: starts the stop watch."},
    {"toc", 0, 1, toc, "toc: seconds since tic.", "any"},
    {"pause", 0, 1, pause_for, "pause(seconds): waits; without an argument it returns at once.",
     "real scalar counting"},
    {"date", 0, 0,
     [](Call& c) {
       for (Value& v : c.oml.call_named("datestr", {Value(now_number()), Value::text("dd-mmm-yyyy")}, 1)) c.ret(v);
     },
     "date: today as text."},
};

}  // namespace

BuiltinFamily time_builtins() { return time_table; }

}  // namespace orrery::oml
