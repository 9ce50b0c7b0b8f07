# What `cmake --install build/release --prefix PREFIX` puts where: the program, the library with its
# headers, the schema of experiment files, and how other projects find them: find_package(Holdfast)
# with the target Holdfast::holdfast, and pkg-config holdfast. All paths are relative, so the tree
# may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Holdfast)
install(TARGETS holdfast RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS holdfast_hw_library EXPORT HoldfastTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES include/holdfast/holdfast.h include/holdfast/holdfast.hpp
              ${PROJECT_BINARY_DIR}/include/holdfast/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/holdfast)
install(FILES configs/schema/experiment.schema.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/holdfast/schema)

# Before 1.0 a minor version may change the interface.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(HoldfastConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/HoldfastConfigVersion.cmake
        DESTINATION ${package_folder})
install(EXPORT HoldfastTargets FILE HoldfastConfig.cmake NAMESPACE Holdfast::
        DESTINATION ${package_folder})

file(RELATIVE_PATH HOLDFAST_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/holdfast.pc.in holdfast.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/holdfast.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
