#!/usr/bin/python3
"""Opens a trace of save_chrome_trace in the Performance panel of Chromium's DevTools (headless), and checks that nothing is lost on
the way: all slices are imported and drawn, threads and the process have their names. Writes a picture of the panel. Debian's
Chromium has no chrome://tracing. The panel shows neither counters nor these flows; of the flows it is checked in the file that each
end lies within a slice of its thread, as viewers that draw them bind them. Exits with 77 where Chromium is not installed.

    trace_in_chromium.py (TRACE.json | PROGRAM) [PICTURE.png]     PROGRAM is called with the file to write
"""
import collections
import json
import sys

import headless_chromium

WINDOW = (0.4, 0.48)
# Parses the text as the panel does; then shows it in the panel, all tracks open, zoomed to WINDOW, a part of the time.
SHOW = """
const [text, [from, to], done] = arguments;
const at = path => import('devtools://devtools/bundled/' + path);
(async () => {
  const model = (await at('models/trace/trace.js')).TraceModel.Model.createWithAllHandlers();
  await model.parse(JSON.parse(text).traceEvents, {metadata: {}});
  const {Meta, Renderer} = model.parsedTrace(0).data;
  await (await at('ui/legacy/legacy.js')).ViewManager.ViewManager.instance().showView('timeline');
  const panel = (await at('panels/timeline/timeline.js')).TimelinePanel.TimelinePanel.instance();
  await panel.loadFromFile(new File([text], 'run.json', {type: 'application/json'}));
  const sleep = ms => new Promise(go => setTimeout(go, ms));
  let chart;
  for (let i = 0; i < 100 && !chart?.timelineData()?.groups.length; ++i) {
    await sleep(100);
    chart = panel.getFlameChart()?.getMainFlameChart();
  }
  const drawn = chart.timelineData();
  drawn.groups.forEach((g, i) => g.expanded || chart.toggleGroupExpand(i));
  const bounds = (await at('services/trace_bounds/trace_bounds.js')).TraceBounds.BoundsManager.instance();
  const {min, range} = bounds.state().micro.entireTraceBounds;
  bounds.setTimelineVisibleWindow({min: min + range * from, max: min + range * to, range: range * (to - from)}, {shouldAnimate: false});
  await sleep(2000);
  const close = root => root.querySelectorAll('*').forEach(e => {  // the help that the panel shows at first
    if (e.tagName === 'DIALOG' && e.open) e.close();
    if (e.shadowRoot) close(e.shadowRoot);
  });
  close(document);
  await sleep(500);
  const threads = Object.fromEntries([...Renderer.processes.get(1).threads].map(([tid, t]) => [tid, [t.name, t.entries.length]]));
  return {threads, process: Meta.processNames.get(1).args.name, drawn: drawn.entryStartTimes.length, groups: drawn.groups.map(g => g.name)};
})().then(done, e => done({error: String(e.stack || e)}));
"""


def main(source, picture="build/trace_in_chromium.png"):
    if not headless_chromium.INSTALLED:
        print("skipped: chromium is not installed (Debian: chromium chromium-driver python3-selenium)")
        return 77
    text = headless_chromium.trace_of(source)
    events = json.loads(text)["traceEvents"]
    slices, names, flows = collections.defaultdict(list), {}, collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            slices[e["tid"]].append(e)
        elif e["ph"] in "sf":
            flows[e["id"]].append(e)
        elif e["ph"] == "M" and e["name"] == "thread_name":
            names[e["tid"]] = e["args"]["name"]
    counters = sum(e["ph"] == "C" for e in events)
    bound = sum([e["ph"] for e in both] == ["s", "f"] and all(
        any(s["ts"] <= e["ts"] <= s["ts"] + s["dur"] for s in slices[e["tid"]]) for e in both) for both in flows.values())
    contained = sum(map(len, slices.values()))

    page = "devtools://devtools/bundled/devtools_app.html?panel=timeline"
    got = headless_chromium.result_of(page, picture, SHOW, text, WINDOW)
    if "error" in got:
        print(got["error"])
        return 1
    imported = sum(n for _, n in got["threads"].values())
    print(f"slices: {contained} in the file, {imported} imported, {got['drawn']} drawn; flows: {len(flows)}, {bound} within slices; "
          f"counters: {counters} values; tracks: {', '.join(got['groups'])}; picture: {picture}")
    wanted = {str(tid): [name, len(slices[tid])] for tid, name in names.items() if slices[tid]}
    assert got["threads"] == wanted, (got["threads"], wanted)
    assert got["drawn"] == contained, "the panel leaves out slices that overlap without being nested"
    assert bound == len(flows) > 0 and counters > 0, (bound, len(flows), counters)
    assert got["process"] == "plumbline", got["process"]
    assert all(any(g.startswith(name) for g in got["groups"]) for name, _ in wanted.values()), got["groups"]
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
