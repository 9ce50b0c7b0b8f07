# Writes OUTPUT with the project's VERSION and the commit that SOURCE is at, if they have changed.
# It runs at each build, since a commit changes no file that the build would notice.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE git RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed)
  set(git "")
endif()
cmake_policy(VERSION 3.25)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
     "#define HOLDFAST_VERSION \"@VERSION@\"\n#define HOLDFAST_GIT \"@git@\"\n" @ONLY)
