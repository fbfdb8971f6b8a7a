#pragma once
/// engine, and what it is made of. Its declaration is in a header of its own, for engine_graph.hpp.

#include <plumbline/core/compiled.hpp>
#include <plumbline/exec/engine_declaration.hpp>

#ifndef PLUMBLINE_COMPILED
#include <plumbline/exec/engine_inl.hpp>
#endif
