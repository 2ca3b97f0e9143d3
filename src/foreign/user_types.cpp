// SPDX-License-Identifier: Apache-2.0
// Loading block types.
#include "foreign/user_types.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "base/runnable.h"

namespace orrery::foreign {
namespace {

using blocks::BlockLibrary;
using blocks::ParameterError;

class LoadedTypes final : public blocks::UserTypes {
 public:
  explicit LoadedTypes(Consent consent) : consent_(std::move(consent)) {}

  const blocks::BlockType& find(const std::string& library, const std::string& block) const override {
    if (!consent_.may(Capability::native)) {
      const Diagnostic refused = refusal(consent_, Capability::native, {}, library);
      throw ParameterError{"library", refused.message, refused.help, refused.code};
    }
    if (!can_run(library))
      throw ParameterError{"library", fmt::format("no code is taken from {}", library), endings_that_run()};
    const std::string path = std::filesystem::absolute(library);
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // once more gives the same
    if (handle == nullptr) {
      throw ParameterError{"library", fmt::format("the library cannot be loaded: {}", dlerror()),
                           "build it; paths are relative to the folder of the model's file"};
    }
    auto* const entry = reinterpret_cast<const BlockLibrary* (*)()>(dlsym(handle, "orrery_blocks"));
    if (entry == nullptr) {
      throw ParameterError{"library", fmt::format("{} is no library of blocks", library),
                           "end its source with ORRERY_BLOCKS(&my_block)"};
    }
    const BlockLibrary& found = *entry();
    if (found.interface != blocks::block_interface || found.layout != blocks::block_layout) {
      throw ParameterError{"library",
                           fmt::format("{} was built for another version of Orrery (interface {}, this one has {})",
                                       library, found.interface, blocks::block_interface),
                           "build it again with the headers of this version"};
    }
    std::string names;
    for (std::size_t k = 0; k < found.count; ++k) {
      if (found.types[k]->name == block) return *found.types[k];
      names += (names.empty() ? "" : ", ") + found.types[k]->name;
    }
    throw ParameterError{"block", fmt::format("{} has no block {}", library, block), "it has: " + names};
  }

 private:
  Consent consent_;
};

}  // namespace

std::shared_ptr<const blocks::UserTypes> make_user_types(Consent consent) {
  return std::make_shared<LoadedTypes>(std::move(consent));
}

}  // namespace orrery::foreign
