# Settings for tests, examples and benchmarks; none of them affect users of the library.

# ccache speeds up rebuilds. The sloppiness setting lets it cache translation units that use a precompiled header.
find_program(PLUMBLINE_CCACHE ccache DOC "Compiler cache (optional)")
mark_as_advanced(PLUMBLINE_CCACHE)
if(PLUMBLINE_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${PLUMBLINE_CCACHE})
endif()
if(PLUMBLINE_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)
elseif(PLUMBLINE_CCACHE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(SHELL:-Xclang\ -fno-pch-timestamp)
endif()

# g++ collects its garbage first when its heap has 512 MiB (the default is 128 MiB at most): tests compile 12 to 17 %
# faster and take 100 to 200 MB more at the peak.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=524288)
endif()

# plumbline plus every optional library that was found; tests, examples and benchmarks link it. It is header-only, or
# plumbline::compiled if PLUMBLINE_DEVELOP_COMPILED is set.
option(PLUMBLINE_DEVELOP_COMPILED "Tests, examples and benchmarks use plumbline::compiled" OFF)
add_library(plumbline_everything INTERFACE)
target_link_libraries(plumbline_everything INTERFACE plumbline::$<IF:$<BOOL:${PLUMBLINE_DEVELOP_COMPILED}>,compiled,plumbline>)
if(PLUMBLINE_BUILD_TESTS OR PLUMBLINE_BUILD_BENCH) # tests use its views as sources and consumers; benchmarks compare with it
  find_package(range-v3 CONFIG REQUIRED)
  target_link_libraries(plumbline_everything INTERFACE range-v3::range-v3)
endif()
foreach(name IN LISTS PLUMBLINE_OPTIONAL)
  if(TARGET plumbline::${name})
    target_link_libraries(plumbline_everything INTERFACE plumbline::${name})
  endif()
endforeach()
