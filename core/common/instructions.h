// Which of the compiled kernels to use: by default, the fastest that this CPU can run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebear {

/// The instruction sets that the kernels are compiled for; of those that a CPU can run, slowest
/// first.
enum class Instructions { baseline, avx2, avx512, neon };

/// The instruction set in use.
Instructions instructions();
std::string instructions_name();
/// Chooses an instruction set by name. Returns false if it is unknown or the CPU does not have it.
bool use_instructions(std::string_view name);
/// The names of those that this CPU can run, slowest first.
std::vector<std::string> available_instructions();

}  // namespace forebear
