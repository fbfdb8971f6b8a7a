#include <plumbline/plumbline.hpp>

plumbline::image decoded_elsewhere(const plumbline::bytes& file) { return plumbline::decode()(file); }
