// SPDX-License-Identifier: Apache-2.0
// A folder of shared objects named by the hash of what they were made from. Several processes may use it at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace orrery::native {

// 128 bits of `text` (XXH3) as 32 hexadecimal digits. Not cryptographic: the cache belongs to one user.
std::string content_hash(std::string_view text);

// $ORRERY_CACHE/native, else $XDG_CACHE_HOME/orrery/native, else ~/.cache/orrery/native; empty when there is no such
// place.
std::filesystem::path default_cache_directory();
// Makes the folder if needed; false when files cannot be written there, or others could: code is loaded from it. It
// must be the user's own with mode 0700, no link, and in no folder in which others may rename it. `why` tells.
[[nodiscard]] bool prepare_cache(const std::filesystem::path& directory, std::string& why);

// Entries end with their own length and hash, because loading a truncated shared object kills the process.
bool seal(const std::filesystem::path& file);
// Whole, and the user's own: a regular file with one name that nobody else can write.
bool is_intact(const std::filesystem::path& file);

// Deletes the oldest entries beyond 500 files or 512 MB, and what interrupted compilations left; at most once a
// process.
void prune_cache_once(const std::filesystem::path& directory);
void prune_cache(const std::filesystem::path& directory, std::size_t max_files, std::uintmax_t max_bytes);

}  // namespace orrery::native
