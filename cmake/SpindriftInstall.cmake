# cmake --install: libraries, headers, the command, and a package that find_package(spindrift) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY SPINDRIFT_MODULES)

# spindrift::spindrift is all modules at once.
add_library(spindrift_all INTERFACE)
set_target_properties(spindrift_all PROPERTIES EXPORT_NAME spindrift)
target_link_libraries(spindrift_all INTERFACE ${modules})
add_library(spindrift::spindrift ALIAS spindrift_all)

install(TARGETS ${modules} spindrift_options spindrift_all EXPORT spindriftTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS spindrift_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(SPINDRIFT_HAS_HYPRE)
  install(TARGETS spindrift_hypre RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES cmake/SpindriftHypre.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/spindrift)
endif()
install(FILES cmake/SpindriftZstd.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/spindrift)
if(SPINDRIFT_OPENVDB)
  install(FILES cmake/SpindriftOpenVDB.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/spindrift)
endif()
install(DIRECTORY src/spindrift DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "app" EXCLUDE)
install(EXPORT spindriftTargets NAMESPACE spindrift::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/spindrift)

configure_package_config_file(cmake/spindriftConfig.cmake.in
  ${PROJECT_BINARY_DIR}/spindriftConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/spindrift)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spindriftConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spindriftConfig.cmake
              ${PROJECT_BINARY_DIR}/spindriftConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/spindrift)
