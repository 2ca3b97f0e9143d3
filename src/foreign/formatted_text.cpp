// SPDX-License-Identifier: Apache-2.0
// Numbers to characters, piece by piece, with the functions of C.
#include "foreign/formatted_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "blocks/signal_conversions/printf_text.h"

namespace orrery::foreign {
namespace {

constexpr double largest_whole = 9e18;

class FormattedText final : public program::ForeignInstance {
 public:
  FormattedText(std::vector<blocks::PrintfPiece> pieces, std::size_t length)
      : pieces_(std::move(pieces)), length_(length) {}

  program::ForeignOutcome open(std::span<double>) override { return {}; }
  void compute(int, const void* const* arguments, void* const* results) noexcept override {
    auto* characters = static_cast<unsigned char*>(results[0]);
    std::memset(characters, 0, length_);
    std::size_t at = 0;
    const auto put = [&](const char* text, std::size_t size) {
      size = std::min(size, length_ - at);
      std::memcpy(characters + at, text, size);
      at += size;
    };
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      put(pieces_[k].before.data(), pieces_[k].before.size());
      if (pieces_[k].conversion == 0) continue;
      double value = 0;
      std::memcpy(&value, arguments[k], sizeof value);
      char text[512];
      const int size = print(pieces_[k], value, text, sizeof text);
      put(text, static_cast<std::size_t>(std::clamp(size, 0, static_cast<int>(sizeof text) - 1)));
    }
  }
  program::ForeignOutcome perform(int, double, std::span<const double>, std::span<double>) override { return {}; }
  program::ForeignHealth health() noexcept override { return program::ForeignHealth::well; }
  void report(const Place&, double, Diagnostics&) override {}
  bool save(std::vector<std::byte>&) override { return true; }
  bool restore(std::span<const std::byte>) override { return true; }

 private:
  // Numbers that are not whole, or are none at all, are shown as they are, whatever the conversion asks for.
  static int print(const blocks::PrintfPiece& piece, double value, char* text, std::size_t size) {
    char format[24];
    if (!piece.whole()) {
      std::snprintf(format, sizeof format, "%%%s%c", piece.flags.c_str(), piece.conversion);
      return std::snprintf(text, size, format, value);
    }
    if (!(std::fabs(value) < largest_whole) || value != std::floor(value))
      return std::snprintf(text, size, "%g", value);
    if (piece.conversion == 'c') {
      std::snprintf(format, sizeof format, "%%%sc", piece.flags.c_str());
      return std::snprintf(text, size, format, static_cast<int>(value));
    }
    std::snprintf(format, sizeof format, "%%%sll%c", piece.flags.c_str(), piece.conversion);
    return std::snprintf(text, size, format, static_cast<long long>(value));
  }

  std::vector<blocks::PrintfPiece> pieces_;
  std::size_t length_;
};

}  // namespace

program::ForeignKind formatted_text_kind() {
  using enum program::ForeignSetting::Type;
  return {"formatted_text",
          {{"text", text}, {"length", whole_number}},
          [](const program::ForeignObject& object, const program::ForeignRun&, const Place&,
             Diagnostics&) -> std::unique_ptr<program::ForeignInstance> {
            std::string format, wrong;
            std::size_t length = 0;
            for (const auto& [name, value] : object.settings) {
              if (name == "text") format = value;
              if (name == "length") length = std::stoul(value);
            }
            auto pieces = blocks::parse_printf(format, wrong);
            if (!pieces) return nullptr;  // the block has checked it
            return std::make_unique<FormattedText>(std::move(*pieces), length);
          }};
}

}  // namespace orrery::foreign
