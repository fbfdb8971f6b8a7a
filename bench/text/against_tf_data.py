#!/usr/bin/env python3
"""Compares bench_text with tf.data: lines of text to padded batches of word ids, alternately, on one and two threads.

    against_tf_data.py BENCH_TEXT FILE... [--rounds N] [--epochs N]

Needs TensorFlow (pip install tensorflow-cpu) for the Python that runs it. Both make the same batches, which is checked: their
number, their tokens and the sum of the ids. Each round runs a process of each; a process makes one epoch unmeasured and then
--epochs more, of which the fastest counts. tf.data's functions are traced graphs; its map runs as many calls at once as there are
threads, and prefetch(AUTOTUNE) ends the pipeline.
"""
import argparse
import collections
import statistics
import subprocess
import sys

PAD, BOUNDARIES, SIZES = -1, [8, 16, 32, 64], [256, 128, 64, 32, 16]


def tf_data(files, threads, epochs):
    import os
    import time
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    tf.config.threading.set_inter_op_parallelism_threads(threads)
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    counts = collections.Counter()
    for file in files:
        with open(file, "rb") as f:
            for line in f.read().replace(b"\r\n", b"\n").split(b"\n"):
                counts.update(w for w in line.split(b" ") if w)
    words = [w for w, _ in sorted(counts.items(), key=lambda x: (-x[1], x[0]))[:10000]]
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant(words), tf.range(1, len(words) + 1, dtype=tf.int32)), 0)

    def ids(line):
        parts = tf.strings.split(line, " ")
        return table.lookup(tf.boolean_mask(parts, parts != ""))

    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    data = (tf.data.TextLineDataset(files).map(ids, num_parallel_calls=threads).filter(lambda x: tf.size(x) > 0)
            .bucket_by_sequence_length(tf.size, BOUNDARIES, SIZES, padding_values=PAD)
            .prefetch(tf.data.AUTOTUNE).with_options(options))
    for epoch in range(epochs + 1):
        batches = []
        begin = time.perf_counter()
        for batch in data:
            batches.append(batch)
        took = time.perf_counter() - begin
        tokens = sum(int(tf.reduce_sum(tf.cast(b != PAD, tf.int64))) for b in batches)
        total = sum(int(tf.reduce_sum(tf.cast(tf.where(b == PAD, 0, b), tf.int64))) for b in batches)
        if epoch:
            print(took, len(batches), tokens, total, flush=True)


def once(command):
    """The fastest epoch of one process, in seconds, and what it delivered."""
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    rows = [line.split() for line in lines if line]
    return min(float(row[0]) for row in rows), tuple(map(int, rows[0][1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench_text")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--tf-data", type=int, metavar="THREADS", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.tf_data:
        return tf_data(o.files, o.tf_data, o.epochs)
    for threads in (1, 2):
        ours, theirs = [], []
        for _ in range(o.rounds):
            a, mine = once([o.bench_text, "--epochs", str(o.epochs), "--threads", str(threads), "--files", *o.files])
            b, other = once([sys.executable, __file__, o.bench_text, *o.files, "--epochs", str(o.epochs), "--tf-data", str(threads)])
            if mine != other:
                sys.exit(f"they deliver different batches: {mine}, tf.data {other}")
            ours.append(mine[1] / a)
            theirs.append(mine[1] / b)
        ratios = [a / b for a, b in zip(ours, theirs)]
        print(f"{threads} threads: plumbline {statistics.median(ours):,.0f} tokens/s, tf.data {statistics.median(theirs):,.0f}; "
              f"ratio {statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})", flush=True)


if __name__ == "__main__":
    main()
