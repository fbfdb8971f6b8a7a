#pragma once
/// page_head: the beginning of a page, with the style sheet that all pages share.

#include <string>

namespace plumbline::detail {

inline std::string page_head(const std::string& title) {
  return R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>)" +
         title + R"(</title><style>
:root{--ink:#1c2430;--soft:#687386;--line:#d5dbe3;--fill:#4878a8;--warm:#c8643c;--good:#3f8f5f;--card:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--ink:#e3e8ef;--soft:#98a4b5;--line:#3b4552;--card:#1d242d}body{background:#141a21}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);max-width:76rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.05rem;margin:2.2rem 0 .6rem}p{color:var(--soft);margin:.3rem 0}
.big{font-size:1.9rem;color:var(--ink)}table{border-collapse:collapse;width:100%;font-size:.88rem}
th{color:var(--soft);font-weight:500;text-align:right;border-bottom:1px solid var(--line)}
td,th{padding:.28rem .4rem;text-align:right;vertical-align:top}td{white-space:nowrap}td.l{white-space:normal;min-width:9rem}
td:nth-child(2),th:nth-child(2),.l{text-align:left!important}td:nth-child(2){white-space:normal;min-width:7rem}
.name,.value,.l,td:nth-child(2){overflow-wrap:anywhere}
tr.here td{background:color-mix(in srgb,var(--good) 18%,transparent)}.wide{overflow-x:auto}
svg{display:block;max-width:100%;height:auto}svg text{fill:var(--ink);font:12px system-ui,sans-serif}
svg .f{font:12px ui-monospace,monospace}svg .s{fill:var(--soft);font-size:11px}svg .f.s{font:11px ui-monospace,monospace}
.row{display:grid;grid-template-columns:22rem 1fr 16rem;gap:0 .8rem;align-items:center;padding:.14rem 0;font-size:.85rem}
.name{text-align:right}.value{color:var(--soft)}.track{position:relative;align-self:stretch;min-height:1.1rem;
background:repeating-linear-gradient(90deg,var(--line) 0 1px,transparent 1px var(--decade))}
.track b{display:block;height:1.1rem;border-radius:0 3px 3px 0;opacity:.9}.axis .track{background:none}
.axis i{position:absolute;transform:translateX(-50%);font-style:normal;color:var(--soft);font-size:.75rem;white-space:nowrap}
@media(max-width:60rem){table{font-size:.76rem}td,th{padding:.28rem .25rem}.row{grid-template-columns:11rem 1fr 9rem}}
.l0,.l1,.l2{fill:none;stroke-width:2}.l0{stroke:var(--fill)}.l1{stroke:var(--warm)}.l2{stroke:var(--good)}
.t0{fill:var(--fill)!important}.t1{fill:var(--warm)!important}.t2{fill:var(--good)!important}.knee{stroke:var(--soft);stroke-dasharray:4 3}
.step{fill:var(--good)}.prep{fill:var(--warm)}.fetch{fill:var(--fill)}.extra{fill:none;stroke:var(--fill);stroke-dasharray:3 3}
.waited{fill:#c02f3a}.grid{stroke:var(--line);fill:none}.middle{stroke:var(--ink);stroke-width:2;fill:none}
.box{fill:var(--card);stroke:var(--line)}.io{stroke:var(--fill)}.serial{stroke-dasharray:4 3}
.bar{fill:var(--fill);background:var(--fill)}.worst{fill:var(--warm);background:var(--warm)}.cache{fill:var(--good);background:var(--good)}.way,.fit{stroke:var(--soft);fill:none}.fit{stroke:var(--fill);stroke-width:1.5}
</style></head><body><h1>)" +
         title + "</h1>\n";
}

}  // namespace plumbline::detail
