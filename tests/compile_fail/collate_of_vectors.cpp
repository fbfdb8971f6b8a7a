// error: (Wanted = plumbline::a_group_of_collatable_elements; Given = std::vector<std::vector<double>|map_wanted_and_given<plumbline::a_group_of_collatable_elements, std::vector<std::vector<double>)
#include <plumbline/plumbline.hpp>

namespace pl = plumbline;

#ifdef PLUMBLINE_EXPECT_ERROR
const auto same = [](std::vector<std::vector<double>> x) { return x; };
#else
const auto same = [](std::vector<std::vector<double>>) { return std::vector<double>(3); };
#endif

auto p = pl::range(3) | pl::map([](std::int64_t) { return std::vector<double>(2); }) | pl::group<2>() | pl::map(same) |
         pl::map(pl::collate);
