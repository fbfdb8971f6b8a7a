#!/usr/bin/env python3
"""Compares what profiling a photo pipeline costs: plumbline's timeline, torch.profiler and TensorFlow's profiler.

    against_profilers.py BENCH_TRACING FOLDER [--rounds N] [--seconds S]

Files in a shuffled order -> read, decode, random crop to 224 x 224, flip, normalize, planar -> batches of 32, with two threads
(PyTorch: two worker processes, and none; tf.data: a private pool of two threads). Each framework runs in a process of its own, in
which epochs with its profiler and epochs without take turns, for about --seconds each; the figures are medians of the rounds.
Writing the trace to a file is not part of the rates; its time and size are shown. PyTorch's and TensorFlow's are measured if the
Python that runs this has them (pip install torch torchvision; tensorflow), else they are reported as skipped.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def photos_of(folder):
    return sorted(str(p) for p in pathlib.Path(folder).rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))


def rate(epochs, seconds):
    """Photos a second of whole epochs. `epochs()` iterates over one; it returns the number of photos."""
    seen, begin = 0, time.perf_counter()
    while True:
        seen += epochs()
        took = time.perf_counter() - begin
        if took > seconds:
            return seen / took, seen


def in_turns(epoch, profiled, o):
    """`profiled(work)` calls work() under the profiler and returns the trace's bytes and the seconds that writing it took."""
    epoch()
    off, on, size, export = [], [], [], []
    for r in range(o.rounds):
        for which in (0, 1) if r % 2 == 0 else (1, 0):
            if which == 0:
                off.append(rate(epoch, o.seconds)[0])
            else:
                got = {}

                def work():
                    got["rate"], got["photos"] = rate(epoch, o.seconds)

                bytes_written, took = profiled(work)
                on.append(got["rate"])
                size.append(bytes_written / got["photos"])
                export.append(1000 * took / got["photos"])
    print(json.dumps({"off": off, "on": on, "bytes": size, "export": export}))


def torch_rates(o, workers):
    import torch
    import torchvision
    from PIL import Image
    torch.set_num_threads(1)
    turn = torchvision.transforms
    change = turn.Compose([turn.RandomResizedCrop(224), turn.RandomHorizontalFlip(), turn.ToTensor(),
                           turn.Normalize(MEAN, DEVIATION)])
    files = photos_of(o.folder)

    class Photos(torch.utils.data.Dataset):
        def __len__(self):
            return len(files)

        def __getitem__(self, i):
            with Image.open(files[i]) as photo:
                return change(photo.convert("RGB"))

    loader = torch.utils.data.DataLoader(Photos(), batch_size=32, shuffle=True, num_workers=workers,
                                         persistent_workers=workers != 0)

    def epoch():
        return sum(len(batch) for batch in loader)

    def profiled(work):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            work()
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            profile.export_chrome_trace(f"{folder}/trace.json")
            return os.path.getsize(f"{folder}/trace.json"), time.perf_counter() - begin

    in_turns(epoch, profiled, o)


def tensorflow_rates(o):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf
    tf.config.threading.set_inter_op_parallelism_threads(2)
    tf.config.threading.set_intra_op_parallelism_threads(2)
    files = photos_of(o.folder)

    def change(file):
        data = tf.io.read_file(file)
        begin, size, _ = tf.image.sample_distorted_bounding_box(
            tf.io.extract_jpeg_shape(data), tf.zeros([1, 0, 4]), area_range=(0.08, 1.0), use_image_if_no_bounding_boxes=True)
        window = tf.concat([begin[:2], size[:2]], 0)
        photo = tf.image.resize(tf.image.decode_and_crop_jpeg(data, window, channels=3), [224, 224])
        photo = tf.image.random_flip_left_right(photo)
        return tf.transpose((photo / 255.0 - MEAN) / DEVIATION, [2, 0, 1])

    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    data = (tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).map(change, num_parallel_calls=2).batch(32)
            .prefetch(2).with_options(options))

    def epoch():
        return sum(int(batch.shape[0]) for batch in data)

    def profiled(work):
        with tempfile.TemporaryDirectory() as folder:
            tf.profiler.experimental.start(folder)
            work()
            begin = time.perf_counter()
            tf.profiler.experimental.stop()
            took = time.perf_counter() - begin
            return sum(p.stat().st_size for p in pathlib.Path(folder).rglob("*") if p.is_file()), took

    in_turns(epoch, profiled, o)


def versions():
    found = {}
    for name in ("torch", "tensorflow"):
        done = subprocess.run([sys.executable, "-c", f"import {name}; print({name}.__version__)"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
        if done.returncode == 0:
            found[name] = done.stdout.split()[-1]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench_tracing")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.only:
        return tensorflow_rates(o) if o.only == "tensorflow" else torch_rates(o, int(o.only[-1]))
    have = versions()
    runs = {"plumbline": [o.bench_tracing, "--profile", o.folder]}
    for name, only, of in (("PyTorch, 2 workers", "torch2", "torch"), ("PyTorch, no workers", "torch0", "torch"),
                           ("tf.data", "tensorflow", "tensorflow")):
        if of in have:
            runs[f"{name} ({of} {have[of]})"] = [sys.executable, __file__, o.bench_tracing, o.folder, "--only", only]
        else:
            print(f"SKIPPED: {name}: this Python has no {of}")
    print("photos a second without and with the profiler, slowdown (each round's), bytes and ms of export for each photo")
    for name, command in runs.items():
        command += ["--rounds", str(o.rounds), "--seconds", str(o.seconds)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        got = json.loads(done.stdout.strip().split("\n")[-1])
        slower = [a / b for a, b in zip(got["off"], got["on"])]
        middle = statistics.median
        print(f"{name}: {middle(got['off']):.1f}, {middle(got['on']):.1f}; {middle(slower):.3f} ({min(slower):.3f} to "
              f"{max(slower):.3f}); {middle(got['bytes']):,.0f} bytes, {middle(got['export']):.2f} ms", flush=True)


if __name__ == "__main__":
    main()
