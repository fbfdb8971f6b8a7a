#include <plumbline/plumbline.hpp>

#if !defined(PLUMBLINE_CODECS_APART) && !defined(PLUMBLINE_COMPILED)
#error "neither plumbline::codecs nor plumbline::compiled says that the codecs are compiled apart"
#endif

plumbline::image decoded_elsewhere(const plumbline::bytes& file) { return plumbline::decode()(file); }
