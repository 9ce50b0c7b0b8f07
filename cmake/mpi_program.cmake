# holdfast_mpi_program(TARGET SOURCE LIBRARY): the program of SOURCE, a file of this folder, under
# Open MPI; it is named after that file and lies beside `holdfast`. Where libopenmpi-dev is missing
# it is left out, which is said; sanitizers have nothing to say of Open MPI.
function(holdfast_mpi_program target source library)
  get_filename_component(name ${source} NAME_WE)
  if(HOLDFAST_SANITIZE)
    return()
  endif()
  set(MPI_CXX_SKIP_MPICXX TRUE) # nobody else uses those bindings any more
  find_package(MPI QUIET COMPONENTS CXX) # libopenmpi-dev
  if(NOT MPI_CXX_FOUND)
    message(STATUS "${name} is left out: it needs the Debian package libopenmpi-dev")
    return()
  endif()
  add_executable(${target} ${source})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(${target} PRIVATE ${library} MPI::MPI_CXX)
endfunction()
