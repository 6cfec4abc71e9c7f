#include "common/instructions.h"

#include <atomic>

#include "common/platform.h"

namespace forebear {

namespace {

struct Named {
    Instructions instructions;
    const char* name;
};
constexpr Named kAll[] = {{Instructions::baseline, "baseline"},
                          {Instructions::avx2, "avx2"},
                          {Instructions::avx512, "avx512"},
                          {Instructions::neon, "neon"}};

bool can_run(Instructions instructions) {
    switch (instructions) {
        case Instructions::avx2: return cpu_has_avx2();
        case Instructions::avx512: return cpu_has_avx512();
        case Instructions::neon: return cpu_has_neon();
        default: return true;
    }
}

std::atomic<Instructions>& chosen() {
    static std::atomic<Instructions> chosen{[] {
        Instructions best = Instructions::baseline;
        for (const Named& each : kAll)
            if (can_run(each.instructions)) best = each.instructions;
        return best;
    }()};
    return chosen;
}

}  // namespace

Instructions instructions() { return chosen().load(std::memory_order_relaxed); }

std::string instructions_name() { return kAll[static_cast<int>(instructions())].name; }

bool use_instructions(std::string_view name) {
    for (const Named& each : kAll)
        if (each.name == name && can_run(each.instructions)) {
            chosen().store(each.instructions);
            return true;
        }
    return false;
}

std::vector<std::string> available_instructions() {
    std::vector<std::string> names;
    for (const Named& each : kAll)
        if (can_run(each.instructions)) names.emplace_back(each.name);
    return names;
}

}  // namespace forebear
