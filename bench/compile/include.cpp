// Measured by compile.py: nothing but the header.
#include <plumbline/plumbline.hpp>
