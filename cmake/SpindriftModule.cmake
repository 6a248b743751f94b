# One static library per module: spindrift_<name>, alias spindrift::<name>.
#
#   spindrift_module(NAME SOURCES a.cpp b.cpp [PUBLIC libs...] [PRIVATE libs...])

add_library(spindrift_options INTERFACE)
set_target_properties(spindrift_options PROPERTIES EXPORT_NAME options)
target_compile_features(spindrift_options INTERFACE cxx_std_20)
# Fused multiply-adds only where the code asks for one: predicates and antisymmetric formulas rely
# on a*b - c*d being what it says, and GCC and clang then agree.
target_compile_options(spindrift_options INTERFACE -ffp-contract=off)
# Nobody reads errno after sqrt; checking for it would keep loops scalar.
target_compile_options(spindrift_options INTERFACE -fno-math-errno)
if(SPINDRIFT_ARCH)
  target_compile_options(spindrift_options INTERFACE -march=${SPINDRIFT_ARCH})
endif()

# Not exported: how we build is not how our users must build.
add_library(spindrift_warnings INTERFACE)
target_compile_options(spindrift_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Werror)
# GCC 12 reports overlapping copies inside std::string that are not there (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(spindrift_warnings INTERFACE -Wno-restrict)
endif()
if(SPINDRIFT_SANITIZE)
  add_compile_options(-fsanitize=${SPINDRIFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SPINDRIFT_SANITIZE})
  if(SPINDRIFT_SANITIZE_NOT)
    add_compile_options(-fno-sanitize=${SPINDRIFT_SANITIZE_NOT})
  endif()
  # TBB is not instrumented (core/parallel_plain.hpp).
  if(SPINDRIFT_SANITIZE MATCHES "thread")
    target_compile_definitions(spindrift_options INTERFACE SPINDRIFT_PLAIN_THREADS)
  endif()
  # GCC's flow analysis reports false overruns in instrumented code.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(spindrift_warnings INTERFACE
      -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-stringop-overread)
  endif()
endif()
if(SPINDRIFT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

function(spindrift_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(target spindrift_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(spindrift::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} PUBLIC spindrift_options ${arg_PUBLIC}
                        PRIVATE $<BUILD_INTERFACE:spindrift_warnings> ${arg_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY SPINDRIFT_MODULES ${target})
endfunction()
