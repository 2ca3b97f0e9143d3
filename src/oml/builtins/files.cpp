// SPDX-License-Identifier: Apache-2.0
// Open files, folders, the search path and the environment of the process.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/environment.h"
#include "base/fleeting_file.h"
#include "base/new_file.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/open_files.h"
#include "oml/builtins/printf_format.h"
#include "oml/interpreter.h"
#include "oml/interrupt.h"

namespace orrery::oml {

namespace fs = std::filesystem;

OpenFiles::~OpenFiles() { close_all(); }

std::string OpenFiles::close_all() {
  std::string torn;
  for (auto& [id, file] : files) {
    const bool failed = std::ferror(file.handle) != 0 && file.mode[0] != 'r';
    if (std::fclose(file.handle) != 0 || failed) torn = file.name;
  }
  files.clear();
  return torn;
}

OpenFiles& open_files(Interpreter& oml) { return oml.extension<OpenFiles>(); }

bool is_standard_stream(const Call& c, int k) {
  if (!c.has(k) || !c[k].is_scalar() || !c[k].is_arithmetic() || c[k].is_text()) return false;
  return c.number(k) == 0 || c.number(k) == 1 || c.number(k) == 2;
}

bool is_console(const Call& c, int k) { return is_standard_stream(c, k) && c.number(k) != 0; }

std::string existing_name(const std::string& name) {
  std::error_code ec;
  if (name.find('\\') == std::string::npos || fs::exists(name, ec)) return name;
  std::string other = name;
  std::replace(other.begin(), other.end(), '\\', '/');
  return fs::exists(other, ec) ? other : name;
}

void expect_growth(std::size_t size) {
  poll_interrupt();
  require_memory(static_cast<Index>(size), 2);
}

std::FILE* file_argument(Call& c, int k) {
  const double id = c.number(k);
  if (is_standard_stream(c, k)) return id == 0 ? stdin : id == 1 ? stdout : stderr;
  auto& files = open_files(c.oml).files;
  const auto it = files.find(static_cast<int>(id));
  if (it == files.end()) fail_argument(k + 1, "must be the number of an open file");
  return it->second.handle;
}

namespace {

void open_file(Call& c) {
  OpenFiles& all = open_files(c.oml);
  if (!c[0].is_text() && !c[0].is_cell()) {
    // [name, mode, arch] = fopen(id)
    const auto it = all.files.find(static_cast<int>(c.whole(0)));
    if (it == all.files.end()) fail_argument(1, "must be the number of an open file");
    const OpenFiles::File& f = it->second;
    for (const std::string& s : {f.name, f.mode, f.arch}) c.ret(Value::text(s));
    return;
  }
  const std::string name = existing_name(c.word(0));
  if (name == "all" && c.count() == 1) {
    std::vector<double> ids;
    for (const auto& [id, f] : all.files) ids.push_back(id);
    return c.ret(ids.empty() ? Value::empty() : unboxed(Value::row(ids)));
  }
  std::string mode = c.has(1) ? c.text(1) : "r";
  std::erase(mode, 't');
  if (mode.find('b') == std::string::npos) mode += 'b';
  if (mode[0] != 'r' || mode.find('+') != std::string::npos)
    c.require(Capability::write);
  else
    c.require_read(name);
  if (std::string_view("rwa").find(mode[0]) == std::string_view::npos) fail_argument(2, "is an unknown mode");
  std::error_code ec;
  std::FILE* f = fs::is_directory(name, ec) ? nullptr : std::fopen(name.c_str(), mode.c_str());
  if (f == nullptr) {
    c.ret(Value(-1));
    return c.ret(Value::text(std::strerror(errno)));
  }
  int id = 3;
  while (all.files.count(id) != 0) ++id;
  all.files[id] = {f, name, mode, c.has(2) ? c.text(2) : "ieee-le"};
  c.ret(Value(id));
  c.ret(Value::text(""));
}

void close_file(Call& c) {
  auto& files = open_files(c.oml).files;
  // A full disk is seen here at last. Whoever asks for the answer gets it, others are told.
  const auto done = [&](const std::string& torn) {
    if (!torn.empty() && c.nargout == 0) fail("not all could be written to " + torn);
    c.ret(Value(torn.empty() ? 0 : -1));
  };
  if (c.is_text(0)) return done(open_files(c.oml).close_all());
  const auto it = files.find(static_cast<int>(c.number(0)));
  if (it == files.end()) fail_argument(1, "must be the number of an open file");
  OpenFiles one;
  one.files.insert(files.extract(it));
  done(one.close_all());
}

void print_to_file(Call& c) {
  const std::size_t at = c[0].is_text() ? 0 : 1;
  const std::string text = format_printf(c.text(static_cast<int>(at)), std::span<const Value>(c.args).subspan(at + 1));
  if (at == 0 || is_console(c, 0))
    c.oml.write(text);
  else
    std::fwrite(text.data(), 1, text.size(), file_argument(c, 0));
  if (c.nargout > 0) c.ret(Value(text.size()));
}

void put_string(Call& c) {
  const std::string text = c.text(1);
  if (is_console(c, 0)) return c.oml.write(text);
  std::fwrite(text.data(), 1, text.size(), file_argument(c, 0));
}

void get_line(Call& c, bool keep_newline) {
  std::FILE* f = file_argument(c, 0);
  const Index limit = c.has(1) ? c.whole(1) : INT64_MAX;
  std::string line;
  int ch = EOF;
  if (is_standard_stream(c, 0)) {  // there is nothing to read, and nobody to wait for
    c.ret(Value(-1));
    return c.ret(Value(0));
  }
  if (c.has(1) && limit <= 0) {
    c.ret(Value::text(""));
    return c.ret(Value(0));
  }
  while (static_cast<Index>(line.size()) < limit && (ch = std::fgetc(f)) != EOF) {
    if (ch == '\n') {
      if (keep_newline) line += '\n';
      break;
    }
    line += static_cast<char>(ch);
    if ((line.size() & 0xfffff) == 0) expect_growth(line.size());
  }
  if (line.empty() && ch == EOF) {
    c.ret(Value(-1));
    return c.ret(Value(0));
  }
  // A look ahead, so that a loop until feof reads every line once.
  if (ch == '\n' && f != stdin) {
    const int next = std::fgetc(f);
    if (next != EOF) std::ungetc(next, f);
  }
  if (!keep_newline && !line.empty() && line.back() == '\r') line.pop_back();
  c.ret(Value::text(line));
  c.ret(Value(line.size()));
}

void end_of_file(Call& c) {
  std::FILE* f = file_argument(c, 0);
  c.ret(Value(std::feof(f) != 0));
}

void seek(Call& c) {
  std::FILE* f = file_argument(c, 0);
  int origin = SEEK_SET;
  if (c.is_text(2))
    origin = c.text(2) == "eof" ? SEEK_END : c.text(2) == "cof" ? SEEK_CUR : SEEK_SET;
  else if (c.has(2))
    origin = c.number(2) == SEEK_END || c.number(2) == 1 ? (c.number(2) == 1 ? SEEK_CUR : SEEK_END) : SEEK_SET;
  c.ret(Value(std::fseek(f, static_cast<long>(c.whole(1)), origin) == 0 ? 0 : -1));
}

void remove_file(Call& c) {
  for (int k = 0; k < c.count(); ++k) {
    std::error_code ec;
    const std::string name = existing_name(c.text(k));
    if (fs::is_directory(name, ec)) continue;
    const bool gone = fs::remove(name, ec);
    if (c.name != "unlink" || c.nargout == 0) continue;
    c.ret(Value(gone ? 0 : -1));
    c.ret(Value::text(gone ? "" : "there is no file " + name));
  }
}

void rename_file(Call& c) {
  std::error_code ec;
  fs::rename(c.text(0), c.text(1), ec);
  c.ret(Value(ec ? -1 : 0));
  c.ret(Value::text(ec ? ec.message() : ""));
}

void make_folder(Call& c) {
  std::error_code ec;
  const std::string path = c.count() > 1 ? (fs::path(c.text(0)) / c.text(1)).string() : c.text(0);
  fs::create_directories(path, ec);
  if (c.nargout > 0) c.ret(Value(!ec));
}

void remove_folder(Call& c) {
  std::error_code ec;
  const bool all = c.has(1) && c.text(1) == "s";
  if (all)
    fs::remove_all(c.text(0), ec);
  else
    fs::remove(c.text(0), ec);
  if (c.nargout > 0) c.ret(Value(!ec));
}

void change_folder(Call& c) {
  if (c.count() == 0) return c.ret(Value::text(fs::current_path().string()));
  c.require(Capability::environment);
  std::error_code ec;
  fs::current_path(existing_name(c.text(0)), ec);
  if (ec) fail("cannot change to " + c.text(0));
  c.oml.path_changed();
}

void list_folder(Call& c) {
  std::vector<std::string> names;
  std::error_code ec;
  c.require_read(c.has(0) ? c.text(0) : ".");
  for (fs::directory_iterator it(c.has(0) ? c.text(0) : ".", ec), end; !ec && it != end; it.increment(ec))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  if (c.nargout > 0) return c.ret(Value::text_cell(names, true));
  for (const std::string& n : names) c.oml.write(n + "\n");
}

void fileparts(Call& c) {
  const std::string s = c.text(0);
  const std::size_t slash = s.find_last_of("/\\");
  const std::string folder = slash == std::string::npos ? "" : slash == 0 ? s.substr(0, 1) : s.substr(0, slash);
  const std::string rest = slash == std::string::npos ? s : s.substr(slash + 1);
  const std::size_t dot = rest.rfind('.');
  c.ret(Value::text(folder));
  c.ret(Value::text(rest.substr(0, dot)));
  c.ret(Value::text(dot == std::string::npos ? "" : rest.substr(dot)));
}

void fullfile(Call& c) {
  std::string out;
  for (int k = 0; k < c.count(); ++k) {
    const std::string part = c.text(k);
    if (part.empty()) continue;
    if (!out.empty() && out.back() != '/') out += '/';
    out += !out.empty() && part[0] == '/' ? part.substr(1) : part;
  }
  c.ret(Value::text(out));
}

void add_path(Call& c, bool remove) {
  auto& path = c.oml.search_path;
  std::vector<std::string> folders;
  bool at_end = false;
  for (int k = 0; k < c.count(); ++k) {
    const bool is_place = !c[k].is_text() || c.text(k) == "-end" || c.text(k) == "-begin";
    if (is_place && (remove || k == 0 || k + 1 < c.count())) fail_argument(k + 1, "must be the name of a folder");
    if (is_place)
      at_end = c[k].is_text() ? c.text(k) == "-end" : c.number(k) != 0;
    else
      folders.push_back(existing_name(c.text(k)));
  }
  for (const std::string& folder : folders) {
    if (!remove) c.require_read(folder);
    std::erase(path, folder);
  }
  if (!remove) path.insert(at_end ? path.end() : path.begin(), folders.begin(), folders.end());
  c.oml.path_changed();
}

void show_path(Call& c) {
  if (c.count() > 0) {
    c.oml.search_path.clear();
    for (int k = 0; k < c.count(); ++k) {
      std::istringstream folders(existing_name(c.text(k)));
      for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty()) {
          c.require_read(folder);
          c.oml.search_path.push_back(folder);
        }
    }
    c.oml.path_changed();
    if (c.nargout == 0) return;
  }
  std::string text;
  for (const std::string& p : c.oml.search_path) text += (text.empty() ? "" : ":") + p;
  if (c.nargout > 0) return c.ret(Value::text(text));
  c.oml.write(text + "\n");
}

void temp_name(Call& c) {
  static int counter = 0;
  c.ret(Value::text(
      (fs::temp_directory_path() / ("oml_" + std::to_string(getpid()) + "_" + std::to_string(++counter))).string()));
}

void get_environment(Call& c) {
  const char* v = std::getenv(c.text(0).c_str());
  c.ret(Value::text(v == nullptr ? "" : v));
}

void set_environment(Call& c) {
  const std::string value = c.has(1) ? c.text(1) : "";
  keep_environment();  // no compiler of ours is chosen by a script
  ::setenv(c.text(0).c_str(), value.c_str(), 1);
}

bool is_file(const std::string& s) {
  std::error_code ec;
  return fs::is_regular_file(existing_name(s), ec);
}
bool is_folder(const std::string& s) {
  std::error_code ec;
  return fs::is_directory(existing_name(s), ec);
}

// For a name, or for each element of a cell; what is no text names nothing.
void ask_name(Call& c, bool (*test)(const std::string&)) {
  if (!c[0].is_cell()) {
    if (!c[0].is_text()) fail_argument(1, "must be a string or a cell of strings");
    c.require_read(c.text(0));
    return c.ret(Value(test(c.text(0))));
  }
  Value out = Value::logical_zeros(c[0].dims());
  for (Index i = 0; i < out.numel(); ++i) {
    const Value& item = c[0].cell()[i];
    if (item.is_text()) c.require_read(one_text(item));
    out.edit_bytes()[i] = item.is_text() && test(one_text(item));
  }
  c.ret(unboxed(out));
}

void flush(Call& c) {
  std::fflush(file_argument(c, 0));
  c.ret(Value(0));
}

void file_error(Call& c) {
  std::FILE* f = file_argument(c, 0);
  c.ret(Value::text(std::ferror(f) ? "error" : std::feof(f) ? "At end-of-file." : ""));
}

constexpr Builtin file_table[] = {
    {"fopen", 1, 4, open_file, "[id, message] = fopen(name, mode): opens a file; -1 when it cannot.",
     "any, word, word, word", Needs::asked()},
    {"fclose", 1, 1, close_file, "fclose(id) or fclose('all'): closes files.", "real option:all"},
    {"fprintf", 1, -1, print_to_file,
     "fprintf(id, format, data, ...): formatted text to a file; without id to the output.", "any, ..."},
    {"fputs", 2, 2, put_string, "fputs(id, text): text to a file.", "real, any"},
    {"fdisp", 2, 2,
     [](Call& c) {
       const std::string t = display_text("", c[1], c.oml.format);
       if (is_console(c, 0))
         c.oml.write(t);
       else
         std::fwrite(t.data(), 1, t.size(), file_argument(c, 0));
     },
     "fdisp(id, x): shows x in a file.", "real, any"},
    {"fgetl", 1, 2, [](Call& c) { get_line(c, false); },
     "fgetl(id): next line without its end; -1 at the end of the file.", "real, real"},
    {"fgets", 1, 2, [](Call& c) { get_line(c, true); }, "fgets(id): next line with its end; -1 at the end of the file.",
     "real, real"},
    {"feof", 1, 1, end_of_file, "feof(id): whether the end of the file was met.", "real"},
    {"ferror", 1, 2, file_error, "ferror(id): message of the last failure.", "real, option:clear"},
    {"fseek", 2, 3, seek, "fseek(id, offset, origin): moves within a file; origin 'bof', 'cof' or 'eof'.",
     "real, real, real option:bof/cof/eof"},
    {"ftell", 1, 1, [](Call& c) { c.ret(Value(std::ftell(file_argument(c, 0)))); }, "ftell(id): place within a file.",
     "real"},
    {"frewind", 1, 1,
     [](Call& c) {
       std::rewind(file_argument(c, 0));
       if (c.nargout > 0) c.ret(Value(0));
     },
     "frewind(id): back to the start of a file.", "real"},
    {"fflush", 1, 1, flush, "fflush(id): writes what is held back.", "real"},
    {"stdin", 0, 0, [](Call& c) { c.ret(Value(0)); }, "stdin: number of the standard input."},
    {"stdout", 0, 0, [](Call& c) { c.ret(Value(1)); }, "stdout: number of the standard output."},
    {"stderr", 0, 0, [](Call& c) { c.ret(Value(2)); }, "stderr: number of the standard error output."},
    {"SEEK_SET", 0, 0, [](Call& c) { c.ret(Value(0)); }, "SEEK_SET: origin of fseek, the start of the file."},
    {"SEEK_CUR", 0, 0, [](Call& c) { c.ret(Value(1)); }, "SEEK_CUR: origin of fseek, the current place."},
    {"SEEK_END", 0, 0, [](Call& c) { c.ret(Value(2)); }, "SEEK_END: origin of fseek, the end of the file."},
    {"delete", 1, -1, remove_file, "delete(file): removes files.", "any, ...", Capability::write},
    {"unlink", 1, 1, remove_file, "[code, message] = unlink(file): removes a file; code 0 when it worked.", "word",
     Capability::write},
    {"rename", 2, 2, rename_file, "rename(old, new): renames a file.", "word, word", Capability::write},
    {"mkdir", 1, 2, make_folder, "mkdir(folder): makes a folder.", "word, word", Capability::write},
    {"rmdir", 1, 2, remove_folder, "rmdir(folder, 's'): removes a folder, with 's' all in it.", "word, word",
     Capability::write},
    {"cd", 0, 1, change_folder, "cd(folder): changes the current folder.", "word", Needs::asked()},
    {"pwd", 0, 0, [](Call& c) { c.ret(Value::text(fs::current_path().string())); }, "pwd: the current folder."},
    {"ls", 0, 1, list_folder, "ls(folder): names of files.", "word", Needs::asked()},
    {"isfile", 1, 1, [](Call& c) { ask_name(c, is_file); },
     "isfile(name): whether a file exists; a cell asks for several.", "any", Needs::asked()},
    {"isfolder", 1, 1, [](Call& c) { ask_name(c, is_folder); },
     "isfolder(name): whether a folder exists; a cell asks for several.", "any", Needs::asked()},
    {"isdir", 1, 1, [](Call& c) { ask_name(c, is_folder); },
     "isdir(name): whether a folder exists; a cell asks for several.", "any", Needs::asked()},
    {"fileparts", 1, 1, fileparts, "[folder, name, ext] = fileparts(path): parts of a file name.", "text"},
    {"fullfile", 1, -1, fullfile, "fullfile(a, b, ...): file name from its parts.", "any, ..."},
    {"filesep", 0, 1, [](Call& c) { c.ret(Value::text("/")); }, "filesep: the character between folders.", "word:all"},
    {"pathsep", 0, 0, [](Call& c) { c.ret(Value::text(":")); }, "pathsep: the character between paths."},
    {"addpath", 1, -1, [](Call& c) { add_path(c, false); },
     "addpath(folder, ..., '-begin'|'-end'): folders where functions are looked for.", "real scalar text, ...",
     Needs::asked()},
    {"rmpath", 1, -1, [](Call& c) { add_path(c, true); }, "rmpath(folder, ...): folders no longer searched.",
     "text, ..."},
    {"path", 0, -1, show_path, "path: folders where functions are looked for; path(folder, ...) sets them.",
     "word, ...", Needs::asked()},
    {"tempname", 0, 2, temp_name, "tempname: name for a temporary file.", "word, word"},
    {"tempdir", 0, 0, [](Call& c) { c.ret(Value::text(fs::temp_directory_path().string())); },
     "tempdir: folder for temporary files."},
    {"getenv", 1, 1, get_environment, "getenv(name): variable of the process environment.", "word",
     Capability::environment},
    {"setenv", 1, 2, set_environment, "setenv(name, value): sets a variable of the process environment.", "word, word",
     Capability::environment},
    {"ispc", 0, 0, [](Call& c) { c.ret(Value(false)); }, "ispc: true on Windows."},
    {"isunix", 0, 0, [](Call& c) { c.ret(Value(true)); }, "isunix: true on Unix."},
    {"ismac", 0, 0, [](Call& c) { c.ret(Value(false)); }, "ismac: true on macOS."},
    {"argv", 0, 0, [](Call& c) { c.ret(Value::text_cell(c.oml.script_arguments, true)); },
     "argv: arguments of the script."},
};

}  // namespace

std::string read_whole(const Call& c, const std::string& name) {
  c.require_read(existing_name(name));
  std::ifstream in(existing_name(name), std::ios::binary);
  if (!in) fail("cannot read " + name);
  std::string text;
  std::vector<char> part(std::size_t{1} << 20);
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    expect_growth(text.size());
  }
  return text;
}

void replace_file(const std::string& name, const std::function<void(const std::string&)>& write) {
  std::error_code error;
  const fs::path whole = fs::canonical(name, error);
  const std::string target = error ? name : whole.string();
  const fs::file_status before = fs::status(target, error);
  if (fs::exists(before) && !fs::is_regular_file(before)) return write(name);
  const std::string part = target + "." + std::to_string(::getpid()) + ".part";
  const int made = open_new(part, 0666);
  if (made < 0 && fs::exists(before)) return write(name);  // it may be changed, and its folder may not
  if (made < 0) fail("cannot write " + name + ": " + std::strerror(errno));
  ::close(made);
  const FleetingFile fleeting(part);
  if (fs::exists(before)) fs::permissions(part, before.permissions(), error);
  try {
    write(part);
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
  if (std::rename(part.c_str(), target.c_str()) == 0) return remove_stale_parts(target);
  const int number = errno;
  ::unlink(part.c_str());
  fail("cannot write " + name + ": " + std::strerror(number));
}

void expect_written(std::ostream& out, const std::string& name) {
  if (!out.flush()) fail("cannot write all of " + name + ": there may be no room");
}

BuiltinFamily file_builtins() { return file_table; }

}  // namespace orrery::oml
