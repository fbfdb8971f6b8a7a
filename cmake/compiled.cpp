// The source of plumbline::compiled.
#include <plumbline/definitions.hpp>
