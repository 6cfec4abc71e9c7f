// Which of the compiled kernels to use: by default, the fastest that this CPU can run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebear {

/// The name of the kernels in use.
std::string kernels_name();
/// Chooses kernels by name. Returns false if there are none, or if the CPU cannot run them.
bool use_kernels(std::string_view name);
/// The names of those that this CPU can run, slowest first.
std::vector<std::string> available_kernels();

}  // namespace forebear
