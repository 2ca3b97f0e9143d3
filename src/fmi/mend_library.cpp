// SPDX-License-Identifier: Apache-2.0
// Small changes to the dynamic section of an ELF file (System V ABI, chapter 5; symbol versions as in the LSB).
#include "fmi/mend_library.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

namespace orrery::fmi {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::size_t most_entries = 1'000'000;  // of any list, in a file that may lie

// A library as bytes. Every place in it is checked; what is not there reads as nothing.
class Library {
 public:
  static std::optional<Library> open(const std::string& path) {
    Library library;
    library.path_ = path;
    std::ifstream file(path, std::ios::binary);
    library.bytes_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (!library.read_head()) return std::nullopt;
    return library;
  }
  bool save() const {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    return file.flush().good();
  }

  // The entry of a tag, or nullptr; the next one after `after`.
  Elf64_Dyn* find(std::int64_t tag, const Elf64_Dyn* after = nullptr) {
    for (std::size_t k = 0; k < entries(); ++k) {
      Elf64_Dyn* entry = at_offset<Elf64_Dyn>(dynamic_.p_offset + k * sizeof(Elf64_Dyn));
      if (entry == nullptr || (entry->d_tag == DT_NULL && tag != DT_NULL)) return nullptr;
      if (entry->d_tag == tag && (after == nullptr || entry > after)) return entry;
    }
    return nullptr;
  }
  std::uint64_t value(std::int64_t tag) {
    const Elf64_Dyn* entry = find(tag);
    return entry != nullptr ? entry->d_un.d_val : 0;
  }
  // Something of the loaded image; nullptr: it is not in the file.
  template <class Part>
  Part* at(std::uint64_t address) {
    for (const Elf64_Phdr& segment : segments_) {
      if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz) continue;
      return at_offset<Part>(segment.p_offset + (address - segment.p_vaddr));
    }
    return nullptr;
  }
  std::string text(std::uint64_t place) {
    const char* begin = at<char>(value(DT_STRTAB) + place);
    if (begin == nullptr) return {};
    return std::string(begin, strnlen(begin, static_cast<std::size_t>(bytes_.data() + bytes_.size() - begin)));
  }
  // Another text in the place of one that is not shorter.
  bool replace_text(std::uint64_t place, const std::string& text) {
    char* begin = at<char>(value(DT_STRTAB) + place);
    const std::string old = this->text(place);
    if (begin == nullptr || old.size() < text.size()) return false;
    if (static_cast<std::size_t>(bytes_.data() + bytes_.size() - begin) <= old.size()) return false;
    std::memcpy(begin, text.c_str(), text.size() + 1);
    return true;
  }
  // Puts a text where pages of the image have room; its place among the strings, or 0.
  std::uint64_t add_text(const std::string& text) {
    for (const Elf64_Phdr& segment : segments_) {
      const std::uint64_t begin = segment.p_offset + segment.p_filesz, end = begin + text.size() + 1;
      if (segment.p_memsz != segment.p_filesz || end > (begin + page - 1) / page * page || !is_free(begin, end))
        continue;
      std::memcpy(bytes_.data() + begin, text.c_str(), text.size() + 1);
      return segment.p_vaddr + segment.p_filesz - value(DT_STRTAB);
    }
    return 0;
  }
  // Adds an entry in one of the spare places that linkers leave.
  bool add(std::int64_t tag, std::uint64_t content) {
    Elf64_Dyn* last = find(DT_NULL);
    const Elf64_Dyn* spare = last != nullptr ? find(DT_NULL, last) : nullptr;
    if (spare != last + 1) return false;
    *last = {tag, {content}};
    return true;
  }

  // What is said about the stack; nullptr: nothing.
  Elf64_Phdr* stack() { return stack_ != 0 ? at_offset<Elf64_Phdr>(stack_) : nullptr; }

 private:
  template <class Part>
  Part* at_offset(std::uint64_t offset) {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Part) || offset % alignof(Part) != 0) return nullptr;
    return reinterpret_cast<Part*>(bytes_.data() + offset);
  }
  bool read_head() {
    const auto* head = at_offset<Elf64_Ehdr>(0);
    if (head == nullptr || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB) return false;
    section_headers_ = head->e_shoff;
    for (std::size_t k = 0; k < head->e_phnum; ++k) {
      const std::uint64_t place = head->e_phoff + k * sizeof(Elf64_Phdr);
      const auto* segment = at_offset<Elf64_Phdr>(place);
      if (segment == nullptr) return false;
      if (segment->p_type == PT_GNU_STACK) stack_ = place;
      if (segment->p_type == PT_LOAD) segments_.push_back(*segment);
      if (segment->p_type == PT_DYNAMIC) dynamic_ = *segment;
    }
    return dynamic_.p_type == PT_DYNAMIC && find(DT_STRTAB) != nullptr;
  }
  std::size_t entries() const { return std::min<std::size_t>(dynamic_.p_filesz / sizeof(Elf64_Dyn), most_entries); }
  // Zeros that belong to nothing.
  bool is_free(std::uint64_t begin, std::uint64_t end) const {
    if (begin > end || end > bytes_.size() || (section_headers_ != 0 && section_headers_ < end)) return false;
    for (const Elf64_Phdr& other : segments_) {
      if (begin < other.p_offset + other.p_filesz && other.p_offset < end) return false;
    }
    return std::all_of(bytes_.begin() + static_cast<std::ptrdiff_t>(begin),
                       bytes_.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c == 0; });
  }

  std::string path_;
  std::vector<char> bytes_;  // as aligned as memory of malloc
  std::vector<Elf64_Phdr> segments_;
  Elf64_Phdr dynamic_ = {};
  std::uint64_t section_headers_ = 0, stack_ = 0;
};

// Versions that symbols must have in a library become wishes; returns their numbers.
std::set<unsigned> free_versions(Library& library, const std::string& needed, std::uint64_t other) {
  std::set<unsigned> numbers;
  std::uint64_t place = library.value(DT_VERNEED);
  for (std::uint64_t k = 0; k < std::min<std::uint64_t>(library.value(DT_VERNEEDNUM), most_entries); ++k) {
    auto* file = library.at<Elf64_Verneed>(place);
    if (file == nullptr) break;
    if (library.text(file->vn_file) == needed) {
      file->vn_file = static_cast<Elf64_Word>(other);
      std::uint64_t detail = place + file->vn_aux;
      for (unsigned n = 0; n < file->vn_cnt; ++n) {
        auto* version = library.at<Elf64_Vernaux>(detail);
        if (version == nullptr) break;
        version->vna_flags |= VER_FLG_WEAK;
        numbers.insert(version->vna_other);
        detail += version->vna_next;
      }
    }
    place += file->vn_next;
  }
  return numbers;
}

// Symbols of relocations that have one of these versions are taken of any.
void free_symbols(Library& library, const std::set<unsigned>& numbers) {
  const std::uint64_t versions = library.value(DT_VERSYM);
  const auto each = [&](std::uint64_t table, std::uint64_t bytes) {
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(bytes / sizeof(Elf64_Rela), most_entries); ++k) {
      const auto* relocation = library.at<Elf64_Rela>(table + k * sizeof(Elf64_Rela));
      if (relocation == nullptr) return;
      auto* version = library.at<Elf64_Half>(versions + ELF64_R_SYM(relocation->r_info) * sizeof(Elf64_Half));
      if (version != nullptr && numbers.contains(*version & 0x7fffu)) *version = VER_NDX_GLOBAL;
    }
  };
  if (versions == 0 || numbers.empty()) return;
  each(library.value(DT_RELA), library.value(DT_RELASZ));
  each(library.value(DT_JMPREL), library.value(DT_PLTRELSZ));
}

// The number of "libx.so.3"; -1: another name.
long version_number(const std::string& name, const std::string& stem) {
  if (!name.starts_with(stem) || name.size() == stem.size() || name.size() > stem.size() + 4) return -1;
  const std::string digits = name.substr(stem.size());
  return digits.find_first_not_of("0123456789") == std::string::npos ? std::stol(digits) : -1;
}

int add_folder(dl_phdr_info* info, std::size_t, void* folders) {
  const std::string path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos) static_cast<std::set<std::string>*>(folders)->insert(path.substr(0, slash));
  return 0;
}

}  // namespace

bool look_beside(const std::string& path) {
  auto library = Library::open(path);
  if (!library) return false;
  Elf64_Dyn* known = library->find(DT_RUNPATH);
  if (known == nullptr) known = library->find(DT_RPATH);
  const std::string old = known != nullptr ? library->text(known->d_un.d_val) : "";
  if (old.find("$ORIGIN") != std::string::npos || old.find("${ORIGIN}") != std::string::npos) return true;
  const std::uint64_t place = library->add_text(old.empty() ? "$ORIGIN" : "$ORIGIN:" + old);
  if (place == 0) return false;
  if (known != nullptr) {
    known->d_un.d_val = place;
  } else if (!library->add(DT_RUNPATH, place)) {
    return false;
  }
  return library->save();
}

std::string other_version(const std::string& missing) {
  const std::size_t so = missing.rfind(".so");
  if (so == std::string::npos || missing.find('/') != std::string::npos) return {};
  const std::string stem = missing.substr(0, so) + ".so.";
  // Where the libraries of this program are, others are too.
  std::set<std::string> folders = {"/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib64"};
  dl_iterate_phdr(add_folder, &folders);
  std::string best;
  long best_number = -1;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      const long number = version_number(name, stem);
      if (number <= best_number || name == missing) continue;
      best = name;
      best_number = number;
    }
  }
  return best;
}

bool replace_needed(const std::string& path, const std::string& missing, const std::string& other) {
  auto library = Library::open(path);
  if (!library) return false;
  Elf64_Dyn* needed = library->find(DT_NEEDED);
  while (needed != nullptr && library->text(needed->d_un.d_val) != missing) needed = library->find(DT_NEEDED, needed);
  if (needed == nullptr) return false;
  std::uint64_t place = library->add_text(other);
  if (place == 0 && other.size() <= missing.size()) {
    // In the place of the old name; the numbers of versions are found by it, so they come first.
    const std::uint64_t old = needed->d_un.d_val;
    free_symbols(*library, free_versions(*library, missing, old));
    return library->replace_text(old, other) && library->save();
  }
  if (place == 0 || place > 0xffffffffu) return false;
  free_symbols(*library, free_versions(*library, missing, place));
  needed->d_un.d_val = place;
  return library->save();
}

bool leave_stack_alone(const std::string& path) {
  auto library = Library::open(path);
  Elf64_Phdr* stack = library ? library->stack() : nullptr;
  if (stack == nullptr || (stack->p_flags & PF_X) == 0) return false;
  stack->p_flags &= ~static_cast<Elf64_Word>(PF_X);
  return library->save();
}

}  // namespace orrery::fmi
