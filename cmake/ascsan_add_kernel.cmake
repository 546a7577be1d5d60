# ascsan_add_kernel(NAME SOURCES FILE... [TESTS FILE...] [LINK LIBRARY...] [OPTIONS OPTION...] [ARGS ARG...])
# For users, in their projects and in the package.
#   NAME       a static library of the kernels in SOURCES, with the headers and the core of ascsan
#   TESTS      also a program NAME_test of these files, linked with the kernels and with LINK (GTest::gtest_main ...), and a
#              test of CTest with the same name: `ascsan run OPTIONS NAME_test ARGS`, so that it fails for a finding as well
# Works before or after enable_testing(); without it the program is still built.
include_guard(GLOBAL)

function(ascsan_add_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;TESTS;LINK;OPTIONS;ARGS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ascsan_add_kernel(${name}): unknown words ${ARG_UNPARSED_ARGUMENTS}; "
      "write ascsan_add_kernel(NAME SOURCES FILE... [TESTS FILE...] [LINK LIBRARY...] [OPTIONS OPTION...] [ARGS ARG...])")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "ascsan_add_kernel(${name}): no SOURCES; name the files of the kernel")
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ascsan::kernel)
  if(NOT ARG_TESTS)
    return()
  endif()
  add_executable(${name}_test ${ARG_TESTS})
  target_link_libraries(${name}_test PRIVATE ${name} ${ARG_LINK})
  add_test(NAME ${name}_test COMMAND ascsan::ascsan run ${ARG_OPTIONS} $<TARGET_FILE:${name}_test> ${ARG_ARGS})
endfunction()
