# Install rules and the CMake package.
include(CMakePackageConfigHelpers)
set(plumbline_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/plumbline")

install(TARGETS plumbline EXPORT plumblineTargets FILE_SET HEADERS FILE_SET definitions)
if(EXISTS "${PROJECT_SOURCE_DIR}/include/plumbline/ext")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/plumbline/ext"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/plumbline" FILES_MATCHING PATTERN "*.hpp")
endif()
install(EXPORT plumblineTargets NAMESPACE plumbline:: DESTINATION "${plumbline_package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/plumblineConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/plumblineConfig.cmake" INSTALL_DESTINATION "${plumbline_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/plumblineConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/plumblineConfig.cmake" "${PROJECT_BINARY_DIR}/plumblineConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/PlumblineDependencies.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/compiled.cpp"
        DESTINATION "${plumbline_package_dir}")
# A compiled library is installed for pkg-config only: users of the CMake package build their own, with their flags.
set_target_properties(plumbline_compiled PROPERTIES EXCLUDE_FROM_ALL FALSE)
install(TARGETS plumbline_compiled ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
# The prefix is relative to the .pc file, so that it can be moved.
file(RELATIVE_PATH plumbline_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(name IN ITEMS plumbline plumbline-compiled)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/plumbline")
