// error: (Wanted = .*contents_of_an_image_file; Given = .*file|map_wanted_and_given<.*contents_of_an_image_file, .*file)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
auto p = pl::files("*.jpg") | pl::map(pl::decode());
#else
auto p = pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode());
#endif
