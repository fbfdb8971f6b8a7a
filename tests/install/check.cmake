# cmake -DSOURCE= -DBUILD= -DWORK= -DGENERATOR= -DCOMPILER= -DTURBOJPEG= -P check.cmake
# Installs the built plumbline into an empty prefix, then builds and runs the consumer from there and from the source tree.
file(REMOVE_RECURSE "${WORK}")

function(must)
  list(JOIN ARGN " " command)
  message(STATUS "${command}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# builds and runs the given programs of the consumer
function(consume build programs)
  must(${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}" ${ARGN})
  must(${CMAKE_COMMAND} --build "${build}" --target ${programs})
  foreach(program IN LISTS programs)
    must("${build}/${program}")
  endforeach()
endfunction()

function(refuses_mixture build)
  execute_process(COMMAND ${CMAKE_COMMAND} --build "${build}" --target mixed RESULT_VARIABLE status OUTPUT_VARIABLE said
                  ERROR_VARIABLE said)
  if(status EQUAL 0 OR NOT said MATCHES "plumbline_some_files_define_PLUMBLINE_COMPILED_and_some_do_not")
    message(FATAL_ERROR "linking header-only with compiled files did not fail as expected:\n${said}")
  endif()
endfunction()

must(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/prefix")

# every header of the source tree was installed
file(GLOB_RECURSE headers RELATIVE "${SOURCE}/include" "${SOURCE}/include/*.hpp")
foreach(header IN LISTS headers)
  if(NOT EXISTS "${WORK}/prefix/include/${header}")
    message(FATAL_ERROR "${header} was not installed")
  endif()
endforeach()

# without CMake: the flags from pkg-config suffice to compile and link
find_program(PKG_CONFIG pkg-config REQUIRED)
file(GLOB_RECURSE packages "${WORK}/prefix/*.pc")
list(GET packages 0 package)
cmake_path(GET package PARENT_PATH packages)
set(ENV{PKG_CONFIG_PATH} "${packages}")
foreach(package IN ITEMS plumbline plumbline-compiled)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${package} OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  must("${COMPILER}" "${CMAKE_CURRENT_LIST_DIR}/decoder.cpp" "${CMAKE_CURRENT_LIST_DIR}/decoder_again.cpp" ${flags} -o "${WORK}/${package}")
  must("${WORK}/${package}")
endforeach()
# header-only, with the definitions in one of the files
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs plumbline OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
file(WRITE "${WORK}/definitions.cpp" "#include <plumbline/definitions.hpp>\n")
must("${COMPILER}" -DPLUMBLINE_COMPILED "${CMAKE_CURRENT_LIST_DIR}/decoder.cpp"
     "${CMAKE_CURRENT_LIST_DIR}/decoder_again.cpp" "${WORK}/definitions.cpp" ${flags} -o "${WORK}/one_file")
must("${WORK}/one_file")

consume("${WORK}/find_package" "consumer;decoder;compiled;compiled_tuned" "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DWANT_TURBOJPEG=${TURBOJPEG}")
refuses_mixture("${WORK}/find_package")
consume("${WORK}/add_subdirectory" "consumer;compiled" "-DPLUMBLINE_SOURCE=${SOURCE}")
