# holdfast_folder(NAME SOURCES ... DEPENDS ...): the archive of one folder.
# Includes are written from the root of the repository; tests/layout checks their direction.
function(holdfast_folder name)
  cmake_parse_arguments(FOLDER "" "" "SOURCES;DEPENDS" ${ARGN})
  if(FOLDER_SOURCES)
    add_library(${name} STATIC ${FOLDER_SOURCES})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${FOLDER_DEPENDS})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${FOLDER_DEPENDS})
  endif()
endfunction()
