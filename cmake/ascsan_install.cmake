# cmake --install: the command, the public headers, and the package that gives find_package(ascsan) the target ascsan::kernel and
# the function ascsan_add_kernel().
# Headers go to a folder of their own: their names (kernel_operator.h, acl/acl.h) must not shadow the vendor's.
include(CMakePackageConfigHelpers)
set(exported ascsan_flags ascsan_kernel)
foreach(folder base event machine isa schedule order check report explain run)
  get_property(targets DIRECTORY ${ASCSAN_ROOT}/src/${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND exported ${target})
    endif()
  endforeach()
endforeach()
set_target_properties(ascsan_kernel PROPERTIES EXPORT_NAME kernel)
install(TARGETS ${exported} EXPORT ascsan ARCHIVE DESTINATION lib/ascsan)
install(EXPORT ascsan NAMESPACE ascsan:: DESTINATION lib/cmake/ascsan)
# The same for the build folder, where `ascsan run FILE.cpp` finds it.
export(EXPORT ascsan NAMESPACE ascsan:: FILE ${PROJECT_BINARY_DIR}/ascsan.cmake)
file(COPY ${ASCSAN_ROOT}/cmake/ascsan_add_kernel.cmake DESTINATION ${PROJECT_BINARY_DIR})
install(DIRECTORY ${ASCSAN_ROOT}/include DESTINATION share/ascsan)
file(WRITE ${PROJECT_BINARY_DIR}/ascsanConfig.cmake
"include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(Boost COMPONENTS context)
find_dependency(dnnl)
include(\${CMAKE_CURRENT_LIST_DIR}/ascsan.cmake)
include(\${CMAKE_CURRENT_LIST_DIR}/ascsan_add_kernel.cmake)
")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ascsanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${ASCSAN_ROOT}/cmake/ascsan_add_kernel.cmake ${PROJECT_BINARY_DIR}/ascsanConfig.cmake ${PROJECT_BINARY_DIR}/ascsanConfigVersion.cmake
        DESTINATION lib/cmake/ascsan)
