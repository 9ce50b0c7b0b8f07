# Compiler options common to every target. Results must be bit-identical at every optimisation level
# and with every compiler: no contraction of floating point, no -march=native, no -ffast-math.
add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wsign-conversion
                    -Wold-style-cast -Wnon-virtual-dtor -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees an overlap in "text" + std::string where there is none (gcc bug 105651).
  add_compile_options(-Wno-restrict)
endif()

set(HOLDFAST_SANITIZE "" CACHE STRING "sanitizers: '', 'address,undefined' or 'thread'")
if(HOLDFAST_SANITIZE)
  add_compile_options(-fsanitize=${HOLDFAST_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HOLDFAST_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What sanitizers insert hides initialisations from this warning; the plain build has it.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

option(HOLDFAST_FUZZ "build nothing but the targets of libFuzzer; needs clang" OFF)
if(HOLDFAST_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Work trees of one machine share what they have compiled: what a file is does not depend on where
# the tree is (debugging information then names the tree that compiled it first).
find_program(CCACHE ccache)
if(CCACHE)
  set(HOLDFAST_CCACHE ${CMAKE_COMMAND} -E env
                      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HOLDFAST_CCACHE} ${CCACHE})
endif()
