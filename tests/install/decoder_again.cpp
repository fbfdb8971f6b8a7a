#include <plumbline/plumbline.hpp>

#ifndef PLUMBLINE_CODECS_APART
#error "plumbline::codecs does not say that the codecs are compiled apart"
#endif

plumbline::image decoded_elsewhere(const plumbline::bytes& file) { return plumbline::decode()(file); }
