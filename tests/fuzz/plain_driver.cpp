// SPDX-License-Identifier: Apache-2.0
// For compilers without libFuzzer: damages the files of a folder at random and feeds them to a fuzz target.
//   fuzz_NAME SEEDS COUNT [FIRST]
// A crash or a hang (20 s) leaves the input in crash-input and ends with the signal; the number of the input repeats
// it.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string input;  // that is tried now

void on_crash(int signal) {
  const int file = ::open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0 && ::write(file, input.data(), input.size()) >= 0) ::close(file);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::vector<std::string> read_seeds(const char* folder) {
  std::vector<std::string> names, seeds;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    std::ostringstream text;
    text << std::ifstream(name, std::ios::binary).rdbuf();
    if (!text.str().empty()) seeds.push_back(text.str());
  }
  return seeds;
}

// Bytes are changed, cut, moved, taken from other seeds; numbers stand where sizes may be, also in digits.
std::string damaged(const std::vector<std::string>& seeds, std::mt19937_64& random) {
  std::string bytes = seeds[random() % seeds.size()];
  const auto place = [&](const std::string& text) { return text.empty() ? 0 : random() % text.size(); };
  static constexpr std::uint64_t numbers[] = {
      0, 1, 0x7f, 0xff, 0x7fff, 0x7fffffff, 0x80000000, 0xffffffff, ~std::uint64_t{0}};
  static const char* const words[] = {"1e308", "-1",   "99999999999999999999",
                                      "nan",   "\"",   "{",
                                      "[",     "]",    "}",
                                      "\n",    ",",    ":",
                                      "\\",    "null", "/",
                                      "..",    "%",    "$",
                                      "<",     ">",    "&",
                                      "'",     "(",    ")",
                                      "1",     "0",    "end",
                                      "="};
  for (int changes = 1 + static_cast<int>(random() % 6); changes > 0; --changes) {
    const std::string& other = seeds[random() % seeds.size()];
    switch (random() % 9) {
      case 0: bytes[place(bytes)] = static_cast<char>(random()); break;
      case 1: bytes[place(bytes)] ^= static_cast<char>(1 << random() % 8); break;
      case 2: bytes.resize(place(bytes)); break;
      case 3: bytes.insert(place(bytes), bytes.substr(place(bytes), random() % 64)); break;
      case 4: bytes.erase(place(bytes), random() % 32); break;
      case 5: bytes.insert(place(bytes), words[random() % std::size(words)]); break;
      case 6: bytes.insert(place(bytes), other.substr(place(other), random() % 100)); break;
      case 7: {
        std::size_t at = bytes.find_first_of("0123456789", place(bytes));
        if (at != std::string::npos) bytes.replace(at, 1, words[random() % 4]);
        break;
      }
      default: {
        const std::uint64_t number = numbers[random() % std::size(numbers)];
        const std::size_t size = std::size_t{1} << random() % 4, at = place(bytes);
        if (at + size <= bytes.size()) bytes.replace(at, size, reinterpret_cast<const char*>(&number), size);
      }
    }
    if (bytes.empty()) bytes = "x";
    if (bytes.size() > 20'000) bytes.resize(20'000);
  }
  return bytes;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "%s SEEDS COUNT [FIRST]\n", words[0]);
    return 2;
  }
  const std::vector<std::string> seeds = read_seeds(words[1]);
  const long inputs = std::atol(words[2]), first = count > 3 ? std::atol(words[3]) : 0;
  if (seeds.empty()) return 2;
  for (const int signal : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS, SIGTRAP, SIGALRM, SIGPROF})
    ::signal(signal, on_crash);
  for (const std::string& seed : seeds) {  // as they are, first; with COUNT 0 nothing else
    input = seed;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(seed.data()), seed.size());
  }
  const auto begin = std::chrono::steady_clock::now();
  for (long k = first; k < first + inputs; ++k) {
    std::mt19937_64 random(static_cast<std::uint64_t>(k));
    input = damaged(seeds, random);
    // Of a processor's time, however slow the machine is, and of the clock.
    const itimerval most{{0, 0}, {20, 0}};
    ::setitimer(ITIMER_PROF, &most, nullptr);
    ::alarm(600);
    const std::string copy = input;  // its own memory, so that what reads beyond it is seen by sanitizers
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(copy.data()), copy.size());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage used = {};
  ::getrusage(RUSAGE_SELF, &used);
  std::printf("%ld inputs, %.0f a second, %ld MB, no crash, hang or blow-up\n", inputs,
              static_cast<double>(inputs) / seconds, used.ru_maxrss >> 10);
  return 0;
}
