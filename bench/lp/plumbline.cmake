# the reader of MPS files is in tests/
target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
