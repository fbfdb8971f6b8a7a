# Finds the dependencies of plumbline, in the same way for its own build and for an installed package.
include_guard(GLOBAL)

# plumbline_find_dependencies([REQUIRED]): the packages that the core needs.
# A macro, so that find_package's results reach the caller. plumblineConfig.cmake calls it without REQUIRED, so that a
# failed find_package(plumbline) can name the missing package.
macro(plumbline_find_dependencies)
  set(plumbline_missing "")
  # global, so that a project that uses add_subdirectory(plumbline) sees the targets that plumbline::plumbline links
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads ${ARGV0})
  find_package(TBB CONFIG ${ARGV0})
  find_package(Eigen3 CONFIG ${ARGV0})
  find_package(Boost CONFIG ${ARGV0})
  unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
  foreach(plumbline_package Threads TBB Eigen3 Boost)
    if(NOT ${plumbline_package}_FOUND)
      list(APPEND plumbline_missing ${plumbline_package})
    endif()
  endforeach()

  # stb has no CMake package; it is header-only and included as <stb/stb_image.h>
  find_path(PLUMBLINE_STB_INCLUDE_DIR stb/stb_image.h DOC "Folder that holds stb/stb_image.h")
  mark_as_advanced(PLUMBLINE_STB_INCLUDE_DIR)
  if(NOT PLUMBLINE_STB_INCLUDE_DIR)
    list(APPEND plumbline_missing stb)
    if("${ARGV0}" STREQUAL "REQUIRED")
      message(FATAL_ERROR "plumbline: stb/stb_image.h was not found; install libstb-dev "
                          "or set PLUMBLINE_STB_INCLUDE_DIR to the folder that holds stb/")
    endif()
  elseif(NOT TARGET plumbline::stb)
    add_library(plumbline::stb INTERFACE IMPORTED GLOBAL)
    target_include_directories(plumbline::stb SYSTEM INTERFACE "${PLUMBLINE_STB_INCLUDE_DIR}")
  endif()
endmacro()

# Adds the target plumbline::<name>, which defines PLUMBLINE_HAS_<NAME>=1, if the header and the library are found.
# Without library names, the library is header-only.
function(plumbline_optional_library name header)
  string(TOUPPER "${name}" upper)
  find_path(PLUMBLINE_${upper}_INCLUDE_DIR ${header} DOC "Folder that holds ${header} (optional)")
  mark_as_advanced(PLUMBLINE_${upper}_INCLUDE_DIR)
  if(ARGN)
    find_library(PLUMBLINE_${upper}_LIBRARY NAMES ${ARGN} DOC "Library for plumbline::${name} (optional)")
    mark_as_advanced(PLUMBLINE_${upper}_LIBRARY)
  endif()
  if(PLUMBLINE_${upper}_INCLUDE_DIR AND (PLUMBLINE_${upper}_LIBRARY OR NOT ARGN) AND NOT TARGET plumbline::${name})
    add_library(plumbline::${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(plumbline::${name} SYSTEM INTERFACE "${PLUMBLINE_${upper}_INCLUDE_DIR}")
    target_compile_definitions(plumbline::${name} INTERFACE PLUMBLINE_HAS_${upper}=1)
    target_link_libraries(plumbline::${name} INTERFACE plumbline::plumbline ${PLUMBLINE_${upper}_LIBRARY})
  endif()
endfunction()

# Optional libraries, which the core never needs. A new one is added to this list and to the function.
set(PLUMBLINE_OPTIONAL json jpeg turbojpeg zlib memcached httplib)
function(plumbline_find_optional)
  plumbline_optional_library(json nlohmann/json.hpp)
  plumbline_optional_library(turbojpeg turbojpeg.h turbojpeg)
  plumbline_optional_library(jpeg jpeglib.h jpeg)
  plumbline_optional_library(zlib zlib.h z zlib)
  plumbline_optional_library(memcached libmemcached/memcached.h memcached)
  plumbline_optional_library(httplib httplib.h cpp-httplib)
  # the macros that its library was compiled with change its classes
  if(TARGET plumbline::httplib)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(PLUMBLINE_HTTPLIB QUIET cpp-httplib)
      target_compile_options(plumbline::httplib INTERFACE ${PLUMBLINE_HTTPLIB_CFLAGS_OTHER})
    endif()
  endif()
  # libjpeg-turbo's other interface; decoding a part of a picture needs both
  if(TARGET plumbline::turbojpeg AND TARGET plumbline::jpeg)
    target_link_libraries(plumbline::turbojpeg INTERFACE plumbline::jpeg)
  endif()
endfunction()

# plumbline::compiled: plumbline with its non-template code compiled once, including the embedded decoder. Either all files
# of a program use it or none: it defines PLUMBLINE_COMPILED, and a program that mixes the two fails to link. It is built
# in the project that links it, with that project's flags, and only if some target links it.
function(plumbline_add_compiled source)
  if(NOT TARGET plumbline::compiled)
    add_library(plumbline_compiled STATIC EXCLUDE_FROM_ALL "${source}")
    add_library(plumbline::compiled ALIAS plumbline_compiled)
    target_link_libraries(plumbline_compiled PUBLIC plumbline::plumbline)
    target_compile_definitions(plumbline_compiled PUBLIC PLUMBLINE_COMPILED=1)
    set_target_properties(plumbline_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()
