# plumbline_link_glpk(<target> <variable>): links GLPK if libglpk-dev is installed, for comparison only and under its own
# licence. Sets the variable to the reason if GLPK is not linked, else to an empty string.
find_path(PLUMBLINE_GLPK_INCLUDE_DIR glpk.h DOC "Folder that holds glpk.h (for tests and benchmarks)")
find_library(PLUMBLINE_GLPK_LIBRARY glpk DOC "GLPK (for tests and benchmarks)")
mark_as_advanced(PLUMBLINE_GLPK_INCLUDE_DIR PLUMBLINE_GLPK_LIBRARY)
function(plumbline_link_glpk target missing)
  if(PLUMBLINE_GLPK_INCLUDE_DIR AND PLUMBLINE_GLPK_LIBRARY)
    target_include_directories(${target} SYSTEM PRIVATE "${PLUMBLINE_GLPK_INCLUDE_DIR}")
    target_link_libraries(${target} PRIVATE "${PLUMBLINE_GLPK_LIBRARY}")
    set(${missing} "" PARENT_SCOPE)
  else()
    set(${missing} "glpk.h or its library is missing (libglpk-dev)" PARENT_SCOPE)
  endif()
endfunction()
