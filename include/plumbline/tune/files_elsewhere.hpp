#pragma once
/// files_elsewhere: streams of an analysed pipeline whose files are in memory, in part or not at all.

#include <plumbline/exec/options.hpp>
#include <plumbline/tune/held_files.hpp>
#include <plumbline/tune/measure_reads.hpp>
#include <plumbline/tune/trained_stream.hpp>
#include <plumbline/tune/training.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace plumbline::detail {

/// Streams of the pipeline with its files elsewhere: all on I/O threads, half in memory, all in memory; fewer if its
/// files are not read whole.
struct elsewhere {
  std::unique_ptr<held_files> memory;  // outlives the stream
  trained_stream stream;
  /// The share of files that were in memory: of few files, not quite the wanted one.
  double found() const { return memory ? memory->found() : 0; }
};
inline std::vector<elsewhere> open_elsewhere(const open_training& open, const run_options& in_memory,
                                             std::uint64_t first, double bytes_read, double seconds,
                                             std::uint64_t least) {
  std::vector<elsewhere> all;
  for (const double share : {0.0, 0.5, 1.0}) {
    auto on_io_threads = in_memory;
    on_io_threads.read_bytes_per_second = 1e18;
    auto memory = share == 0 ? nullptr : std::make_unique<held_files>(share, trained_stream::most_bytes);
    trained_stream stream(open(on_io_threads, memory.get()), first);
    stream->stream().record(false);
    stream.choose(bytes_read, seconds, least);
    if (memory && !memory->used()) break;  // files are not read whole
    if (memory) memory->count_anew();
    all.push_back({std::move(memory), std::move(stream)});
  }
  return all;
}

}  // namespace plumbline::detail
