# One place for compiler flags and for the shape of a library, a program and a test of this project.
get_filename_component(ASCSAN_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# Two circles: targets made by the functions below carry the property ASCSAN_INSIDE and get strict warnings and the folders of the
# core; a user's target that links ascsan::kernel gets the public headers and what makes call stacks readable, nothing else.
set(inside "$<BOOL:$<TARGET_PROPERTY:ASCSAN_INSIDE>>")
add_library(ascsan_flags INTERFACE)
target_compile_options(ascsan_flags INTERFACE "$<${inside}:-Wall;-Wextra;-Werror>" -fno-omit-frame-pointer -g1)
# gcc 12 sees overlaps in std::string concatenation that cannot happen (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ascsan_flags INTERFACE "$<${inside}:-Wno-restrict>")
endif()
# File names in reports are relative to the project root (design/ux.md 5).
target_compile_options(ascsan_flags INTERFACE
  "$<BUILD_INTERFACE:-fmacro-prefix-map=${ASCSAN_ROOT}/=;-ffile-prefix-map=${ASCSAN_ROOT}/=>")
# Same numbers on every host: no contraction of a*b+c behind our back.
target_compile_options(ascsan_flags INTERFACE -ffp-contract=off)
target_include_directories(ascsan_flags INTERFACE
  "$<BUILD_INTERFACE:${ASCSAN_ROOT}/include>" "$<BUILD_INTERFACE:$<${inside}:${ASCSAN_ROOT}/src>>"
  "$<INSTALL_INTERFACE:share/ascsan/include>")
if(ASCSAN_SANITIZE)
  target_compile_options(ascsan_flags INTERFACE -fsanitize=${ASCSAN_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(ascsan_flags INTERFACE -fsanitize=${ASCSAN_SANITIZE})
  # Checks in a loop keep clang from making it vector work; that it says so is no fault of the code.
  target_compile_options(ascsan_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3")

# ascsan_library(NAME SOURCES ... DEPENDS ...): one static library per folder; links only what the layer may know.
function(ascsan_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES ASCSAN_INSIDE ON)
  target_link_libraries(${name} PUBLIC ascsan_flags ${ARG_DEPENDS})
endfunction()

function(ascsan_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES ASCSAN_INSIDE ON)
  target_link_libraries(${name} PRIVATE ascsan_flags ${ARG_DEPENDS})
endfunction()

# ascsan_test(NAME SOURCES ... DEPENDS ...): a GoogleTest program registered with CTest as one test.
function(ascsan_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;ARGS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES ASCSAN_INSIDE ON)
  target_link_libraries(${name} PRIVATE ascsan_flags ${ARG_DEPENDS} GTest::gtest_main)
  # What a test measures is not its own speed; -O3 would be a third of the whole build.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
endfunction()
