include("${PROJECT_SOURCE_DIR}/cmake/glpk.cmake")
plumbline_link_glpk(${target} skip)
