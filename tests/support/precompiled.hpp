// Precompiled for every test executable: headers that are expensive to parse. Library headers must not rely on it;
// the target all_verify_interface_header_sets compiles each of them without it.
#include <catch2/catch.hpp>

#include <tbb/flow_graph.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <plumbline/plumbline.hpp>
#include <random>
#include <ranges>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
