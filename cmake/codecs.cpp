// The source of plumbline::codecs: what would be compiled again in every translation unit that decodes pictures.
#include <plumbline/image/decode_stb_here.hpp>

namespace plumbline::detail {
// an inline function is put into the object file when its address is needed
[[gnu::used]] static const auto codecs = &decode_stb;
}  // namespace plumbline::detail
