#!/usr/bin/env python3
"""Writes random chains of operators with the elements that TensorFlow's tf.data gives, as golden cases for plumbline.

    generate.py --seed S --cases N --out FILE.json        tests/oracle/golden.json has seed 1 and 480 cases

Needs TensorFlow (pip install tensorflow-cpu); the tests only read the file. A case is
    {"chain": C++ expression in which q(i) is the i-th parameter, "parameters": [integers], "expected": [texts]}
with the texts of tests/support/text.hpp. The first chains have one operator each, with its variants; the others are random.
Their functions are those of functions.hpp. Cases that docs/differences.md lists are not made.
"""
import argparse
import json
import os
import random

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import tensorflow as tf  # noqa: E402

RANDOM_CHAINS = 20
MOST_ELEMENTS, MOST_TEXT, MOST_VALUE = 40, 600, 10**12
INT, DATA = tf.int64, tf.data.Dataset


class NotComparable(Exception):
    """A case that differs on purpose."""


def i64(x):
    return tf.constant(x, INT)


# ---- functions.hpp ----
def listed(values):
    return DATA.from_tensor_slices(tf.constant(values, INT, [len(values)]))


def choices(n, k):
    return [(i * i + i // 3) % k for i in range(n)]


def times(k):
    return lambda x: x * k + 1


def one_more(key):
    return key + 1


def added(all_, x):
    return all_ + x, 2 * all_ + x


def folded(x):
    x = tf.reshape(x, [-1])
    return tf.reduce_sum(x * tf.range(1, tf.size(x, INT) + 1, dtype=INT))


def joined_parts(first, *others):
    one = [folded(x) if x.shape.rank is None or x.shape.rank > 0 else x for x in (first, *others)]
    return 3 * sum(one) - 2 * one[0]


def sequence(x):
    return x + tf.range(x % 8, dtype=INT)


def some_of(x):
    return DATA.from_tensor_slices(x + 10 * tf.range(x % 4, dtype=INT))


def stream_of(x):
    return DATA.range(x % 6).map(lambda i: x + 100 * i)


# ---- operators whose result has another form ----
def groups(d, n, drop=0):
    return d.batch(n, drop_remainder=bool(drop))


def window(d, n, shift, stride, drop):
    return d.window(n, shift or None, stride, bool(drop)).flat_map(lambda w: w.batch(1000))


def by_key(d, k, size, drop):
    """Dropped are the groups that are not full at the end."""
    def reduced(key, group):
        return group.batch(size(key), drop_remainder=bool(drop)).map(lambda values: (key, values))
    return d.group_by_window(key_func=lambda x: x % k, reduce_func=reduced, window_size_func=size)


def buckets(d, a, b, *sizes, pad=None, drop=0, to_boundary=False):
    return d.bucket_by_sequence_length(lambda x: tf.cast(tf.size(x), tf.int32), [a, b], list(sizes), padded_shapes=None,
                                       padding_values=None if pad is None else i64(pad), drop_remainder=bool(drop),
                                       pad_to_bucket_boundary=to_boundary)


def length_groups(d, a, b, *sizes):
    """bucket_by_sequence_length(no_padding=True) batches only elements of one shape."""
    return d.group_by_window(key_func=lambda x: tf.reduce_sum(tf.cast(tf.size(x, INT) >= [a, b], INT)),
                             reduce_func=lambda key, group: group.ragged_batch(1000),
                             window_size_func=lambda key: tf.gather(i64(sizes), key))


def endless(d, skipped, n):
    if not list(d.take(1)):
        raise NotComparable  # plumbline has an error
    return d.repeat().skip(skipped).take(n)


def choose(choice, streams, last=False):
    return DATA.choose_from_datasets(list(streams), choice, stop_on_empty_dataset=not last)


# ---- the links of a chain ----
# (kind it takes, kind it gives, C++, ranges of the parameters or a function that draws them, tf.data)
# kinds: n: an integer, v: a vector, t: a tensor with one dimension, m: with two, vv: vectors of vectors, r: ragged; tuples.
# $ is a parameter, @ a stream of integers; the first @ is the chain so far.
NN, NV, TT = ("n", "n"), ("n", "v"), ("t", "t")


def of_shard(draw):
    count = draw.randint(1, 6)
    return [count, draw.randrange(count)]


def of_buckets(*others, above=0):
    def drawn(draw):
        a, b = sorted(draw.sample(range(1, 9), 2))
        return [a, max(b, above)] + [draw.randint(lo, hi) for lo, hi in others]
    return drawn


def of_choices(k, least):
    """With at least 1 choice each of the k streams is chosen, so that choices that are repeated come to an end."""
    def drawn(draw):
        n = draw.randint(least, 25)
        return [n] if set(choices(n, k)) == set(range(k)) or least == 0 else drawn(draw)
    return drawn


def of_range(draw):
    return [draw.randint(-9, 20), draw.randint(-5, 35)]


BUCKET = ".boundaries = {u($), u($)}, .batch_sizes = {u($), u($), u($)}"
SIZES = [(1, 5), (1, 4), (1, 3)]
SOURCES = [
    ("n", "n", "pl::range($)", [(0, 40)], lambda n: DATA.range(n)),
    ("n", "n", "pl::range($, $)", of_range, lambda a, b: DATA.range(a, b)),
    ("n", "n", "pl::elements(numbers($))", [(1, 30)], lambda n: listed([i * i % 101 for i in range(n)])),
    ("n", "n", "serial($)", [(0, 40)], lambda n: DATA.range(n)),
]
LINKS = [
    ("n", "n", " | pl::map(times($))", [(1, 5)], lambda d, k: d.map(times(k))),
    ("n", "n", " | pl::filter(not_multiple($))", [(2, 5)], lambda d, k: d.filter(lambda x: x % k != 0)),
    ("n", "n", " | pl::take($)", [(0, 30)], lambda d, n: d.take(n)),
    ("n", "n", " | pl::skip($)", [(0, 12)], lambda d, n: d.skip(n)),
    ("n", "n", " | pl::repeat($)", [(0, 3)], lambda d, n: d.repeat(n)),
    ("n", "n", " | pl::repeat<2>()", [], lambda d: d.repeat(2)),
    ("n", "n", " | pl::shard(u($), u($))", of_shard, lambda d, n, i: d.shard(n, i)),
    ("n", "n", " | pl::take_while(below($))", [(0, 60)], lambda d, k: d.take_while(lambda x: x < k)),
    ("n", "n", " | pl::map(modulo($)) | pl::unique()", [(1, 20)], lambda d, k: d.map(lambda x: x % k).unique()),
    ("n", "n", " | pl::scan(std::int64_t{$}, added)", [(0, 9)], lambda d, s: d.scan(i64(s), added)),
    ("n", "n", " | pl::flat_map(some_of)", [], lambda d: d.flat_map(some_of)),
    ("n", "n", " | pl::flat_map(stream_of)", [], lambda d: d.flat_map(stream_of)),
    ("n", "n", " | pl::interleave(stream_of, {u($), u($)})", [(1, 6), (1, 4)],
     lambda d, c, b: d.interleave(stream_of, cycle_length=c, block_length=b)),
    ("n", "n", " | pl::repeat() | pl::skip($) | pl::take($)", [(0, 9), (0, 30)], endless),
    ("n", NN, " | pl::enumerate($)", [(0, 9)], lambda d, s: d.enumerate(s)),
    ("n", NV, " | pl::group_by_window(modulo($), u($), rest($))", [(1, 6), (1, 5), (0, 1)],
     lambda d, k, n, drop: by_key(d, k, lambda key: tf.constant(n, INT), drop)),
    ("n", NV, " | pl::group_by_window(modulo($), one_more, rest($))", [(1, 6), (0, 1)],
     lambda d, k, drop: by_key(d, k, one_more, drop)),
    ("n", "t", " | pl::batch($)", [(1, 7)], groups),
    ("n", "t", " | pl::batch<3>()", [], lambda d: groups(d, 3)),
    ("n", "t", " | pl::batch<4>(pl::drop_remainder)", [], lambda d: groups(d, 4, 1)),
    ("n", "t", " | pl::batch($, pl::drop_remainder)", [(1, 7)], lambda d, n: groups(d, n, 1)),
    ("n", "v", " | pl::group($)", [(1, 7)], groups),
    ("n", "v", " | pl::map(sequence)", [], lambda d: d.map(sequence)),
    ("n", "v", " | pl::window($)", [(1, 6)], lambda d, n: window(d, n, 0, 1, 0)),
    ("n", "v", " | pl::window($, {u($), u($), $ != 0})", [(1, 6), (1, 7), (1, 3), (0, 1)], window),
    (NN, NN, " | pl::shard(u($), u($))", of_shard, lambda d, n, i: d.shard(n, i)),
    (NN, "n", " | pl::map(joined_parts)", [], lambda d: d.map(joined_parts)),
    (NN, TT, " | pl::batch($)", [(1, 7)], groups),
    (NV, "n", " | pl::map(joined_parts)", [], lambda d: d.map(joined_parts)),
    ("v", "v", " | pl::filter(longer($))", [(0, 4)], lambda d, k: d.filter(lambda x: tf.size(x, INT) > k)),
    ("v", "v", " | pl::rebatch($, rest($))", [(1, 9), (0, 1)], lambda d, n, drop: d.rebatch(n, drop_remainder=bool(drop))),
    ("v", "v", " | pl::take($)", [(0, 20)], lambda d, n: d.take(n)),
    ("v", "v", " | pl::repeat($)", [(0, 3)], lambda d, n: d.repeat(n)),
    ("v", "n", " | pl::map(folded)", [], lambda d: d.map(folded)),
    ("v", "n", " | pl::flat_map(values_of)", [], lambda d: d.flat_map(DATA.from_tensor_slices)),
    ("v", "n", " | pl::unbatch()", [], lambda d: d.unbatch()),
    ("v", "m", " | pl::padded_batch($, pl::pad($))", [(1, 7), (-1, 3)],
     lambda d, n, pad: d.padded_batch(n, padding_values=i64(pad))),
    ("v", "m", " | pl::padded_batch($, rest($), pl::pad($, {u($)}))", [(1, 7), (0, 1), (-1, 3), (9, 11)],
     lambda d, n, drop, pad, to: d.padded_batch(n, [to], i64(pad), bool(drop))),
    ("v", "m", " | pl::padded_batch($, pl::pad(-1, {9})) | pl::rebatch($, rest($))", [(1, 5), (1, 7), (0, 1)],
     lambda d, n, m, drop: d.padded_batch(n, [9], i64(-1)).rebatch(m, drop_remainder=bool(drop))),
    # TensorFlow 2.21 crashes in unbatch of rows without elements
    ("v", "t", " | pl::filter(longer(0)) | pl::padded_batch($, pl::pad($)) | pl::unbatch<pl::tensor<std::int64_t>>()",
     [(1, 7), (-1, 3)],
     lambda d, n, pad: d.filter(lambda x: tf.size(x) > 0).padded_batch(n, padding_values=i64(pad)).unbatch()),
    ("v", "r", " | pl::ragged_batch($)", [(1, 7)], lambda d, n: d.ragged_batch(n)),
    ("v", "r", " | pl::ragged_batch($, pl::drop_remainder)", [(1, 7)], lambda d, n: d.ragged_batch(n, drop_remainder=True)),
    ("v", "m", " | pl::bucket_by_length({" + BUCKET + ", .drop_remainder = $ != 0}, pl::pad($))",
     of_buckets(*SIZES, (0, 1), (-1, 3)), lambda d, *q: buckets(d, *q[:5], drop=q[5], pad=q[6])),
    ("v", "m", " | pl::bucket_by_length({" + BUCKET + ", .pad_to_boundary = true})", of_buckets(*SIZES, above=12),
     lambda d, *q: buckets(d, *q, to_boundary=True)),
    ("v", "vv", " | pl::group_by_length({" + BUCKET + "})", of_buckets(*SIZES), length_groups),
    ("m", "n", " | pl::map(folded)", [], lambda d: d.map(folded)),
    ("t", "n", " | pl::map(folded)", [], lambda d: d.map(folded)),
    ("t", "n", " | pl::unbatch<std::int64_t>()", [], lambda d: d.unbatch()),
    ("t", "t", " | pl::rebatch($)", [(1, 9)], lambda d, n: d.rebatch(n)),
    ("t", "t", " | pl::rebatch($, rest($))", [(1, 9), (0, 1)], lambda d, n, drop: d.rebatch(n, drop_remainder=bool(drop))),
    ("n", NN, "pl::zip(@, @)", [], lambda *d: DATA.zip(d)),
    ("n", ("n", "n", "n"), "pl::zip(@, @, @)", [], lambda *d: DATA.zip(d)),
    (("n", "n", "n"), "n", " | pl::map(joined_parts)", [], lambda d: d.map(joined_parts)),
    ("n", "n", "pl::concat(@, @)", [], lambda a, b: a.concatenate(b)),
    ("n", "n", "pl::concat(@, @, @)", [], lambda a, b, c: a.concatenate(b).concatenate(c)),
    ("n", "n", "pl::choose_from(pl::elements(choices($, 2)), @, @)", of_choices(2, 0),
     lambda a, b, n: choose(listed(choices(n, 2)), [a, b])),
    ("n", "n", "pl::choose_from(pl::elements(choices($, 3)) | pl::repeat(), @, @, @)", of_choices(3, 1),
     lambda a, b, c, n: choose(listed(choices(n, 3)).repeat(), [a, b, c])),
    ("n", "n", "pl::choose_from<pl::ending::last>(pl::elements(choices($, 3)), @, @, @)", of_choices(3, 0),
     lambda a, b, c, n: choose(listed(choices(n, 3)), [a, b, c], True)),
    ("n", "n", "pl::choose_from<pl::ending::last>(pl::elements(choices($, 2)) | pl::repeat(), @, @)", of_choices(2, 1),
     lambda a, b, n: choose(listed(choices(n, 2)).repeat(), [a, b], True)),
]
# Not alone, as another link is much the same or has it before it.
ONLY_IN_RANDOM = {" | pl::map(times($))", " | pl::repeat<2>()", " | pl::batch<3>()", " | pl::map(sequence)", " | pl::window($)",
                  " | pl::filter(longer($))", " | pl::rebatch($)", "pl::concat(@, @)", "pl::zip(@, @)",
                  " | pl::map(joined_parts)", " | pl::map(folded)", " | pl::flat_map(values_of)"}


class Chain:
    """A source and its links. Parameters are numbered from `first` on, so that chains can be arguments of others."""

    def __init__(self, source, first=0):
        self.text, self.kind, self.next, self.draws, self.make = "", "n", first, [], None
        self.add(source)

    def add(self, link, others=()):
        """`others`: the streams of the second and further @, numbered from self.next on."""
        _, self.kind, text, ranges, apply = link
        first = others[-1].next if others else self.next
        self.next = first + text.count("$")
        for i in range(first, self.next):
            text = text.replace("$", f"q({i})", 1)
        if "@" in text:
            for stream in [self.text, *(c.text for c in others)]:
                text = text.replace("@", stream, 1)
            self.text = text
        else:
            self.text += text
        self.draws = sum((c.draws for c in others), self.draws) + [ranges]
        streams = ([self.make] if self.make else []) + [c.make for c in others]
        self.make = lambda q, own=slice(first, self.next): apply(*(make(q) for make in streams), *q[own])

    def parameters(self, draw):
        return [x for r in self.draws for x in (r(draw) if callable(r) else [draw.randint(lo, hi) for lo, hi in r])]


def grown(draw, links, first=0):
    """A random source with `links` random links."""
    chain, many, used = Chain(draw.choice(SOURCES), first), 0, set()
    for left in range(links, 0, -1):
        link = draw.choice([x for x in LINKS if x[0] == chain.kind and (left == 1 or any(x[1] == y[0] for y in LINKS))])
        expands = any(word in link[2] for word in ("repeat", "flat_map", "interleave"))
        joins = "@" in link[2]
        if joins and (first or "@" in used or draw.random() < 0.5) or many == 2 and expands or link[2] in used:
            continue
        many += expands
        used |= {link[2]} | ({"@"} if joins else set())
        others, after = [], chain.next
        for _ in range(link[2].count("@") - 1):
            others.append(grown(draw, draw.randint(0, 2), after))
            if others[-1].kind != "n":
                others[-1] = Chain(draw.choice(SOURCES), after)
            after = others[-1].next
        chain.add(link, others)
    return chain


def single_chains():
    """Each operator on its own, with what it needs before it."""
    before = {"n": [], "v": [" | pl::map(sequence)"], "t": [" | pl::batch($)"], NN: [" | pl::enumerate($)"]}
    by_text = {x[2]: x for x in reversed(LINKS)}  # the first with this text
    for k, link in enumerate(LINKS):
        again = link[0] != "n" and any(x[0] == "n" and x[2] == link[2] for x in LINKS)
        if link[0] not in before or link[2] in ONLY_IN_RANDOM or again:
            continue
        chain = Chain(SOURCES[0 if "pl::repeat()" in link[2] else k % len(SOURCES)])
        for text in before[link[0]]:
            chain.add(by_text[text])
        others = []
        for _ in range(link[2].count("@") - 1):
            others.append(Chain(SOURCES[(k + 1 + len(others)) % len(SOURCES)], others[-1].next if others else chain.next))
        chain.add(link, others)
        yield chain


# ---- the text of an element, as in tests/support/text.hpp ----
def text(kind, x):
    if isinstance(kind, tuple):
        return "(" + "".join(text(k, part) + " " for k, part in zip(kind, x)) + ")"
    if kind == "n":
        return str(int(x))
    if kind == "v":
        return "{" + "".join(f"{y} " for y in x.numpy().tolist()) + "}"
    if kind == "vv":
        return "{" + "".join("{" + "".join(f"{y} " for y in row) + "} " for row in x.to_list()) + "}"
    if kind == "r":
        return "(" + text("t", x.values) + " " + text("t", x.row_splits) + " )"
    return " ".join([str(x.shape.as_list())] + [str(y) for y in x.numpy().reshape(-1).tolist()])


def values(x):
    """All integers of an element."""
    if isinstance(x, tuple):
        return [y for part in x for y in values(part)]
    return (x.flat_values if isinstance(x, tf.RaggedTensor) else x).numpy().reshape(-1).tolist()


def expected(chain, q):
    """The texts of the elements, or None if they are too many, too long or differ on purpose."""
    out = []
    try:
        elements = chain.make(q)
    except NotComparable:
        return None
    for x in elements:
        out.append(text(chain.kind, x))
        if len(out) > MOST_ELEMENTS or sum(map(len, out)) > MOST_TEXT or any(abs(y) > MOST_VALUE for y in values(x)):
            return None
    return out


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seed", type=int, required=True)
    arguments.add_argument("--cases", type=int, required=True)
    arguments.add_argument("--out", required=True)
    given = arguments.parse_args()
    draw = random.Random(given.seed)
    chains = list(single_chains())
    singles = len(chains)
    while len(chains) < singles + RANDOM_CHAINS:
        chain = grown(draw, draw.randint(3, 6))
        if chain.text.count(" | ") >= 3 and chain.text not in {c.text for c in chains}:
            chains.append(chain)
    cases = []
    for k, chain in enumerate(chains):
        seen, wanted = [], given.cases // len(chains) + (k < given.cases % len(chains))
        for _ in range(20 * wanted):
            if len(seen) == wanted:
                break
            q = chain.parameters(draw)
            if q in seen:
                continue
            found = expected(chain, q)
            if found is not None and (found or draw.random() < 0.2):
                seen.append(q)
                cases.append({"chain": chain.text, "parameters": q, "expected": found})
        print(f"{len(seen)} of {wanted}: {chain.text}", flush=True)
    with open(given.out, "w") as out:
        out.write("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")
    print(f"{len(cases)} cases of {len({c['chain'] for c in cases})} chains")


if __name__ == "__main__":
    main()
