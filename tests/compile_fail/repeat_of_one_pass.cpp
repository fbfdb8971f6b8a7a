// error: plumbline: repeat cannot restart this stream, its source can be walked only once; put cache\(\) before repeat
#include <plumbline/plumbline.hpp>

#include <ranges>
#include <sstream>

namespace pl = plumbline;

std::istringstream in("1 2 3");

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::from_range(std::ranges::istream_view<int>(in)) | pl::repeat(2);
#else
auto p = pl::from_range(std::ranges::istream_view<int>(in)) | pl::cache() | pl::repeat(2);
#endif
