# The fixtures of a GoogleTest program as tests of ctest, which includes this when it starts: with
# `program`, the tests' `prefix` and `properties`, the file that has set them, and the file `tests`
# where what is found is kept until one of the two is newer.
if(NOT EXISTS "${program}")
  get_filename_component(name "${program}" NAME)
  add_test("${prefix}${name}_NOT_BUILT" ${name}_NOT_BUILT)
  return()
endif()
if("${program}" IS_NEWER_THAN "${tests}" OR "${set_by}" IS_NEWER_THAN "${tests}")
  execute_process(COMMAND "${program}" --gtest_list_tests TIMEOUT 60
                  OUTPUT_VARIABLE listed RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} does not list its tests: ${status}")
  endif()
  # A fixture stands at the beginning of its line and ends in a dot; its tests are indented.
  string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\.[ \n]" fixtures "\n${listed}")
  if(NOT fixtures)
    message(FATAL_ERROR "${program} lists no tests")
  endif()
  # Skipped is one of which nothing has run and nothing failed: that is how its output ends.
  set(skipped "\\[  PASSED  \\] 0 tests\\.(\n\\[  SKIPPED \\][^\n]*)+\n*$")
  set(script "")
  foreach(fixture IN LISTS fixtures)
    string(REGEX REPLACE "[. \n]" "" fixture "${fixture}")
    string(APPEND script
           "add_test([=[${prefix}${fixture}]=] [=[${program}]=]\n"
           "         [=[--gtest_filter=${fixture}.*]=])\n"
           "set_tests_properties([=[${prefix}${fixture}]=] PROPERTIES ${properties}\n"
           "                     SKIP_REGULAR_EXPRESSION [=[${skipped}]=])\n")
  endforeach()
  file(WRITE "${tests}" "${script}")
endif()
include("${tests}")
