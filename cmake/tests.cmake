# holdfast_test(NAME SOURCES ... [WORLDS ...] DEPENDS ... [TIMEOUT seconds] [HOT] [SERIAL] [LONG]):
# the GoogleTest executable of one area. Each of its tests is a test of ctest, named with the
# build's prefix, so that several builds can be tested in one go. WORLDS: what its tests let run for
# millions of steps; it is compiled as the product is. HOT: without sanitizers all of it is, as the
# tests' own code is what takes the time. SERIAL: alone on the machine, for what real processes and
# clocks are part of. LONG: only in `tests/run --long`.
#
# Optimising what is compiled for one look is a third to a half of the time of a test's build, so
# other tests are not; the product, which is what runs long, stays optimised.
#
# With sanitizers each fixture is one test of ctest, all its tests in one process: there starting a
# process takes longer than most tests do. A single one: PROGRAM --gtest_filter=FIXTURE.TEST.
include(GoogleTest)

# A Python test that cannot do its work here prints a line "SKIPPED: why", after an empty one. These
# properties make ctest say "Skipped" and not "Passed".
set(HOLDFAST_MAY_SKIP SKIP_REGULAR_EXPRESSION "(^|\n)SKIPPED: ")

set(HOLDFAST_TEST_PREFIX "" CACHE STRING "written before the name of each test, such as 'asan/'")

# holdfast_precompiled(NAME ...): target_precompile_headers, and what ccache has to let pass then:
# that the headers were made at another time, and what is defined in them.
function(holdfast_precompiled name)
  target_precompile_headers(${name} ${ARGN})
  if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER
      "${HOLDFAST_CCACHE};CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE}")
    target_compile_options(${name} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# holdfast_discover_fixtures(NAME PROPERTIES): they are found when ctest starts.
function(holdfast_discover_fixtures name properties)
  set(look ${CMAKE_CURRENT_BINARY_DIR}/${name}_look.cmake)
  file(GENERATE OUTPUT ${look} CONTENT "set(program \"$<TARGET_FILE:${name}>\")
set(prefix \"${HOLDFAST_TEST_PREFIX}\")
set(properties \"${properties}\")
set(set_by \"${look}\")
set(tests \"${CMAKE_CURRENT_BINARY_DIR}/${name}_fixtures.cmake\")
include(\"${PROJECT_SOURCE_DIR}/cmake/discover_fixtures.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${look})
endfunction()

function(holdfast_test name)
  cmake_parse_arguments(TEST "HOT;SERIAL;LONG" "TIMEOUT" "SOURCES;WORLDS;DEPENDS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
    if(HOLDFAST_SANITIZE)
      set(TEST_TIMEOUT 300) # of a whole fixture
    endif()
  endif()
  set(properties TIMEOUT ${TEST_TIMEOUT})
  if(TEST_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(TEST_LONG)
    list(APPEND properties LABELS long)
  endif()
  add_executable(${name} ${TEST_SOURCES})
  if(TEST_WORLDS)
    add_library(${name}_worlds STATIC ${TEST_WORLDS})
    target_link_libraries(${name}_worlds PUBLIC ${TEST_DEPENDS})
    target_link_libraries(${name} PRIVATE ${name}_worlds)
  endif()
  target_link_libraries(${name} PRIVATE ${TEST_DEPENDS} GTest::gtest_main)
  if(HOLDFAST_SANITIZE OR NOT TEST_HOT)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  if(HOLDFAST_SANITIZE)
    holdfast_precompiled(${name} REUSE_FROM holdfast_test_headers)
    holdfast_discover_fixtures(${name} "${properties}")
    return()
  endif()
  # Found when ctest starts, so that a build runs nothing of what it has built.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                       TEST_PREFIX "${HOLDFAST_TEST_PREFIX}" PROPERTIES ${properties})
endfunction()

# holdfast_run(NAME COMMAND ... TIMEOUT s [LONG]): a program's run is a test of ctest, with the
# build's prefix. LONG as above.
function(holdfast_run name)
  cmake_parse_arguments(RUN "LONG" "TIMEOUT" "COMMAND" ${ARGN})
  set(test ${HOLDFAST_TEST_PREFIX}${name})
  add_test(NAME ${test} COMMAND ${RUN_COMMAND})
  set_tests_properties(${test} PROPERTIES TIMEOUT ${RUN_TIMEOUT})
  if(RUN_LONG)
    set_tests_properties(${test} PROPERTIES LABELS long)
  endif()
endfunction()

# holdfast_swarm(NAME PROGRAM): four shards of a swarm's seeds, so that they run side by side; with
# sanitizers fewer seeds say the same. And, without, the long run.
function(holdfast_swarm name program)
  set(seeds 500)
  if(HOLDFAST_SANITIZE)
    set(seeds 25)
  endif()
  foreach(shard RANGE 3)
    math(EXPR first "${shard} * ${seeds}")
    holdfast_run(${name}/${shard} COMMAND ${program} --first ${first} --count ${seeds} TIMEOUT 300)
  endforeach()
  if(NOT HOLDFAST_SANITIZE)
    holdfast_run(${name}/long COMMAND ${program} --long TIMEOUT 14400 LONG)
  endif()
endfunction()
