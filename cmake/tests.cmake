# holdfast_test(NAME SOURCES ... DEPENDS ... [TIMEOUT seconds] [SERIAL] [LONG]): the GoogleTest
# executable of one area. Each of its tests is a test of ctest, named with the build's prefix, so
# that several builds can be tested in one go. SERIAL: alone on the machine, for what real processes
# and clocks are part of. LONG: only in `tests/run --long`.
include(GoogleTest)

# A Python test that cannot do its work here prints a line "SKIPPED: why", after an empty one. These
# properties make ctest say "Skipped" and not "Passed".
set(HOLDFAST_MAY_SKIP SKIP_REGULAR_EXPRESSION "(^|\n)SKIPPED: ")

set(HOLDFAST_TEST_PREFIX "" CACHE STRING "written before the name of each test, such as 'asan/'")

function(holdfast_test name)
  cmake_parse_arguments(TEST "SERIAL;LONG" "TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  set(properties TIMEOUT ${TEST_TIMEOUT})
  if(TEST_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(TEST_LONG)
    list(APPEND properties LABELS long)
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_DEPENDS} GTest::gtest_main)
  if(HOLDFAST_SANITIZE)
    # Optimising what is compiled for one look is half the time of a test's build; the product,
    # which is what runs long, stays optimised.
    target_compile_options(${name} PRIVATE -O0)
  endif()
  # Found when ctest starts, so that a build runs nothing of what it has built.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                       TEST_PREFIX "${HOLDFAST_TEST_PREFIX}" PROPERTIES ${properties})
endfunction()
