#include <plumbline/plumbline.hpp>

plumbline::image decoded_elsewhere(const plumbline::byte_tensor& file) { return plumbline::decode()(file); }
