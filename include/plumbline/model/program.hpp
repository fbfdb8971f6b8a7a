#pragma once
/// The planner's program: Plumber's linear program (section 4.3), extended by the disk curve, memory, and a binary
/// variable for each place where a cache may be put.
///   maximise X,  theta_p >= CPU seconds of part p per minibatch x X,  sum of theta <= cores,  serial: theta_p <= 1
/// The consumer's calls are modelled as such a part: serial, on a thread of its own.
///
/// - Operators that caches would save run at rate y: y = X if none of these caches is chosen, else 0, by
///   y >= X - U (sum of their z), where U is an upper bound of the rate. At most one cache on each path from a source
///   to the root.
/// - Disk: bytes x y <= at + slope x reads for every piece, reads <= I/O threads, and <= serial readers if there are
///   no parallel ones. Without a curve, and for parts that wait for something else: I/O threads >= wall time x y
///   (Little's law), and at most one for a serial part.
/// - A site of goal::share_sites, which may keep a share x, needs no binary: w = x X is the rate at which it is
/// replayed,
///   y = X - sum of w, and sum of bytes x w <= memory x X. All of it is linear, as X may be divided out.
/// - A second level of caches, on disk: at the same sites, one more such share v each, with its own time of replay;
///   sum of disk bytes x v X <= disk x X, and what is read back <= at + slope x (compute threads that read), which do
///   not compute meanwhile.
/// - Memory: caches, what operators hold, and messages in flight (model/in_flight.hpp: the credits of the executor's
///   channels, so many for each thread that computes, and so many for each on which reads or other calls wait).

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/goal.hpp>
#include <plumbline/model/limits.hpp>

namespace plumbline::lp {
struct basis;
}

namespace plumbline {

struct allocation {
  bool feasible = false;        ///< false: the rate cannot be reached, or memory is too small even without caches
  bool proven = false;          ///< the solver has proofs of all solutions from which it was chosen
  double rate = 0;              ///< minibatches per second
  double cost = 0;              ///< at the goal's prices
  std::vector<double> cores;    ///< theta, by part
  double replay_cores = 0;      ///< for replay from caches
  std::vector<double> at_once;  ///< of parts that block: messages on I/O threads at once, on average
  double reads = 0;             ///< concurrent
  double bytes_per_second = 0;  ///< from storage
  double memory = 0;            ///< bytes
  double on_disk = 0;           ///< bytes of caches on disk
  kept_shares kept;             ///< by site: 0 or 1, or between, at goal::share_sites
  /// What the rate gains by the first bytes more for caches, for each: the program's shadow prices of memory and of
  /// disk, if the rate is maximised with shares; else 0.
  double rate_per_byte = 0, rate_per_byte_on_disk = 0;
};

/// Returns the best allocation. The program chooses the caches; the other figures are recomputed exactly for that
/// choice. A dozen operators take well below a millisecond. Throws std::invalid_argument if nothing in the trace took
/// time. `last`: the basis of the program's last solution for similar figures, from which it is solved again; becomes
/// that of this solution. Null: from none.
allocation allocate(const demand& d, const resources& have, const goal& want = {}, lp::basis* last = nullptr);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/model/program_inl.hpp>
#endif
