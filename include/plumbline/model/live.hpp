#pragma once
/// decide_live: how the limits of a run change while it runs. Its declaration is in a header of its own, for the
/// headers that its definition is made of.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/live_declaration.hpp>

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/live_inl.hpp>
#endif
