// Chooses one of the compiled sets of kernels: by default the fastest that this CPU can run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebear {

/// The name of the kernels in use.
std::string kernels_name();
/// Uses the kernels with this name. Returns false if they do not exist or the CPU cannot run them.
bool use_kernels(std::string_view name);
/// The names of the kernels that this CPU can run, slowest first.
std::vector<std::string> available_kernels();

}  // namespace forebear
