// SPDX-License-Identifier: Apache-2.0
// The table that tools/embed_assets.py makes.
#include "server/assets.h"

#include <zlib.h>

#include <cstdint>
#include <string_view>

#include "server/root_folder.h"

// Made by tools/embed_assets.py.
extern "C" {
struct OrreryAsset {
  const char* name;
  const char* begin;
  const char* end;
};
extern const OrreryAsset orrery_assets[];
extern const std::uint64_t orrery_asset_count;
}

namespace orrery::server {

bool Assets::has_page() const { return find("index.html").has_value(); }

std::optional<Asset> Assets::find(const std::string& name) const {
  if (!folder_.empty()) {
    Diagnostics ignored;
    auto bytes = RootFolder(folder_).read(name, std::size_t{64} << 20, ignored);
    if (!bytes) return std::nullopt;
    return Asset{std::move(*bytes), false};
  }
  for (std::uint64_t k = 0; k < orrery_asset_count; ++k) {
    const OrreryAsset& asset = orrery_assets[k];
    if (name == asset.name) return Asset{std::string(asset.begin, asset.end), true};
  }
  return std::nullopt;
}

std::string media_type(const std::string& name) {
  constexpr std::pair<std::string_view, const char*> types[] = {{".html", "text/html; charset=utf-8"},
                                                                {".js", "text/javascript; charset=utf-8"},
                                                                {".css", "text/css; charset=utf-8"},
                                                                {".svg", "image/svg+xml"},
                                                                {".woff2", "font/woff2"},
                                                                {".png", "image/png"},
                                                                {".ico", "image/x-icon"},
                                                                {".json", "application/json"},
                                                                {".map", "application/json"},
                                                                {".txt", "text/plain; charset=utf-8"}};
  for (const auto& [end, type] : types) {
    if (name.ends_with(end)) return type;
  }
  return "application/octet-stream";
}

std::string gunzipped(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return {};
  std::string out, part(65536, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(part, 0, part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END ? out : std::string();
}

}  // namespace orrery::server
