// SPDX-License-Identifier: Apache-2.0
// Zip archives in memory.
#include "fmi/pack.h"

#include <zip.h>

#include <memory>

namespace orrery::fmi {
namespace {

constexpr zip_uint16_t any_date = (44 << 9) | (1 << 5) | 1;  // 2024-01-01: archives of equal files are equal

bool add_file(zip_t* archive, const PackedFile& file) {
  zip_source_t* source = zip_source_buffer(archive, file.bytes.data(), file.bytes.size(), 0);
  if (source == nullptr) return false;
  const zip_int64_t index = zip_file_add(archive, file.name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  return zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, any_date, 0) == 0;
}

std::optional<std::string> read_all(zip_source_t* source) {
  zip_stat_t facts;
  if (zip_source_stat(source, &facts) != 0 || zip_source_open(source) != 0) return std::nullopt;
  std::string bytes(facts.size, '\0');
  const zip_int64_t count = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (count < 0 || static_cast<std::size_t>(count) != bytes.size()) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<std::string> pack_archive(const std::vector<PackedFile>& files) {
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> source(zip_source_buffer_create(nullptr, 0, 0, &error),
                                                                      zip_source_free);
  zip_t* archive = source ? zip_open_from_source(source.get(), ZIP_TRUNCATE, &error) : nullptr;
  zip_error_fini(&error);
  if (archive == nullptr) return std::nullopt;
  zip_source_keep(source.get());  // the archive gives its own hold back when it is closed
  for (const PackedFile& file : files) {
    if (add_file(archive, file)) continue;
    zip_discard(archive);
    return std::nullopt;
  }
  if (zip_close(archive) != 0) {
    zip_discard(archive);
    return std::nullopt;
  }
  return read_all(source.get());
}

}  // namespace orrery::fmi
