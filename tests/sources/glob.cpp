#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <plumbline/sources/glob.hpp>

namespace pl = plumbline;
using strings = std::vector<std::string>;

TEST_CASE("matches_name: wildcards, sets, escapes") {
  const auto m = [](std::string_view p, std::string_view n) { return pl::matches_name(p, n); };
  CHECK(m("*", ""));
  CHECK(m("*", "anything.at.all"));
  CHECK(m("*.jpg", "a.jpg"));
  CHECK(m("*.jpg", ".jpg"));
  CHECK_FALSE(m("*.jpg", "a.jpg.bak"));
  CHECK_FALSE(m("*.jpg", "a.JPG"));
  CHECK(m("a*b*c", "aXXbYYbZc"));
  CHECK_FALSE(m("a*b*c", "aXXbYYbZ"));
  CHECK(m("***a", "bba"));
  CHECK(m("img_???.png", "img_012.png"));
  CHECK_FALSE(m("img_???.png", "img_12.png"));
  CHECK(m("[abc]x", "bx"));
  CHECK(m("[a-c0-9]x", "7x"));
  CHECK_FALSE(m("[a-c]x", "dx"));
  CHECK(m("[!a-c]x", "dx"));
  CHECK(m("[^a-c]x", "dx"));
  CHECK_FALSE(m("[!a-c]x", "bx"));
  CHECK(m("[]]x", "]x"));
  CHECK(m("[!]]x", "ax"));
  CHECK(m("[a-]x", "-x"));
  CHECK(m("[\\]]x", "]x"));
  CHECK(m("[ab", "[ab"));  // not closed: literal
  CHECK(m("\\*x", "*x"));
  CHECK_FALSE(m("\\*x", "ax"));
  CHECK(m("a\\", "a\\"));  // nothing to escape: literal
  CHECK_FALSE(m("", "a"));
  CHECK(m("", ""));
  CHECK_FALSE(m("a", ""));
}

TEST_CASE("matches_name: a character is a UTF-8 character, an invalid byte is one of its own") {
  CHECK(pl::matches_name("?.txt", "é.txt"));
  CHECK(pl::matches_name("?.txt", "猫.txt"));
  CHECK(pl::matches_name("?.txt", "😀.txt"));
  CHECK_FALSE(pl::matches_name("??.txt", "猫.txt"));
  CHECK(pl::matches_name("[猫犬].txt", "犬.txt"));
  CHECK(pl::matches_name("[à-ü].txt", "é.txt"));
  CHECK_FALSE(pl::matches_name("[a-z].txt", "é.txt"));
  CHECK(pl::matches_name("?", "\xe9"));
  CHECK(pl::matches_name("??", "\xe7\x8c"));  // truncated: two bytes
  CHECK(pl::matches_name("*\xe9", "a\xe9"));
  CHECK_FALSE(pl::matches_name("é", "\xe9"));
}

TEST_CASE("matches_name: ASCII case can be ignored") {
  CHECK(pl::matches_name("*.jpg", "A.JPG", true));
  CHECK(pl::matches_name("*.JpG", "a.jPg", true));
  CHECK(pl::matches_name("[a-c].x", "B.X", true));
  CHECK(pl::matches_name("[A-C].x", "b.X", true));
  CHECK_FALSE(pl::matches_name("[!a-c].x", "B.X", true));
  CHECK_FALSE(pl::matches_name("é", "É", true));
}

TEST_CASE("matches_name: many stars stay fast") {
  CHECK_FALSE(pl::matches_name("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST_CASE("expand_braces") {
  CHECK(pl::expand_braces("a") == strings{"a"});
  CHECK(pl::expand_braces("*.{jpg,jpeg,png}") == strings{"*.jpg", "*.jpeg", "*.png"});
  CHECK(pl::expand_braces("{a,b}{c,d}") == strings{"ac", "ad", "bc", "bd"});
  CHECK(pl::expand_braces("a{b,c{d,e}}f") == strings{"abf", "acdf", "acef"});
  CHECK(pl::expand_braces("{x/y,z}/*") == strings{"x/y/*", "z/*"});
  CHECK(pl::expand_braces("a{,b}") == strings{"a", "ab"});
  CHECK(pl::expand_braces("a{b}c") == strings{"a{b}c"});
  CHECK(pl::expand_braces("a{b,c") == strings{"a{b,c"});
  CHECK(pl::expand_braces("a}b,c{") == strings{"a}b,c{"});
  CHECK(pl::expand_braces("{{a,b}}") == strings{"{a}", "{b}"});
  CHECK(pl::expand_braces("\\{a,b}") == strings{"\\{a,b}"});
  CHECK(pl::expand_braces("{a\\,b,c}") == strings{"a\\,b", "c"});
  CHECK(pl::unclosed_brace("{a,b}{c}") == std::string::npos);
  CHECK(pl::unclosed_brace("a{b,{c}") == 1);
  CHECK(pl::unclosed_brace("}{{a}") == 1);
  CHECK(pl::unclosed_brace("\\{a") == std::string::npos);
  std::string many;
  for (int i = 0; i < 20; ++i) many += "{a,b}";
  CHECK_THROWS_WITH(pl::expand_braces(many), Catch::Contains("more than 65536 alternatives"));
}
