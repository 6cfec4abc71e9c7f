# The kernels are compiled once per instruction set, and one version is chosen at run time.
# Instruction sets that the compiler or the processor does not support are left out.

function(add_kernels target)
  get_filename_component(core ${CMAKE_CURRENT_FUNCTION_LIST_DIR} DIRECTORY)
  target_include_directories(${target} PRIVATE ${core})
  set(choice ${core}/common/platform.cpp ${core}/kernels/choice.cpp)
  set_source_files_properties(${choice} PROPERTIES UNITY_GROUP choice)
  target_sources(${target} PRIVATE ${choice} ${core}/kernels/baseline.cpp)

  # On macOS, the target processor may differ from this one. A universal build has only the baseline.
  set(processor ${CMAKE_SYSTEM_PROCESSOR})
  if(APPLE AND CMAKE_OSX_ARCHITECTURES)
    set(processor ${CMAKE_OSX_ARCHITECTURES})
  endif()

  if("${processor}" MATCHES "^(aarch64|arm64|ARM64)$")
    # All these processors have NEON, so no flags are needed.
    target_sources(${target} PRIVATE ${core}/kernels/neon.cpp)
    target_compile_definitions(${target} PRIVATE FOREBEAR_ARM)
    return()
  endif()

  if(NOT "${processor}" MATCHES "^(x86_64|AMD64|amd64)$")
    return()
  endif()
  if(MSVC AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(avx2 /arch:AVX2)
    set(avx512 /arch:AVX512)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    set(avx2 -mavx2 -mbmi -mbmi2 -mpopcnt)
    set(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vpopcntdq -mavx512vbmi
      -mprefer-vector-width=512)
  else()
    return()
  endif()
  foreach(set avx2 avx512)
    target_sources(${target} PRIVATE ${core}/kernels/${set}.cpp)
    set_source_files_properties(${core}/kernels/${set}.cpp PROPERTIES COMPILE_OPTIONS "${${set}}")
  endforeach()
  target_compile_definitions(${target} PRIVATE FOREBEAR_X86)
endfunction()
