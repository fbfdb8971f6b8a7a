#pragma once
/// run_shared(pipeline, {.name, .jobs}): runs one pipeline for several processes of a machine, such as the jobs of a
/// hyperparameter search (CoorDL's coordinated prep; Mohan et al., VLDB 2021, section 6.3). Each batch is prepared
/// once, by one of them, laid in memory that they share, and taken by each exactly once, in the same order.
///   auto batches = run_shared(files("*.jpg") | shuffle(1) | read_file() | map(decode()) | map(resize<64, 64>()) |
///                             batch<32>(), {.name = "sweep", .jobs = 4});   // in each of the four processes
///   for (const auto& b : batches) std::cout << b.shape()[0] << '\n';
/// The first epoch begins when all jobs have asked for a batch. A job that comes later joins with the next epoch. Jobs
/// may leave, or be killed at any time: the others go on, and get every batch exactly once. If it was the one that
/// prepared, another takes its place: at the next batch if from_element.hpp allows, else by preparing the epoch again
/// up to there. The slowest job sets the pace: none is more than `ahead` batches before it. A wait that cannot end is
/// an error (`stuck_seconds`).
/// Nothing is left behind when the last job ends, however it ends: the memory has no name in the file system (so it is
/// not limited by the size of /dev/shm either). Jobs find each other by the user and the name, within a network
/// namespace. One process prepares at a time, for all, with as many threads as the machine has cores (run.threads).
/// tf.data: service (coordinated_read), PyTorch: -, grain: -, mlx-data: -

#include <plumbline/core/chain.hpp>
#include <plumbline/exec/polled_stream.hpp>
#include <plumbline/exec/run.hpp>
#include <plumbline/shared/from_element.hpp>
#include <plumbline/shared/stream.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace plumbline {

struct shared_options {
  /// What the jobs have in common, and no others of this user. Required.
  std::string name{};
  /// The first epoch waits until so many jobs have asked for a batch, 1 to 64. As the first job states it.
  std::size_t jobs = 1;
  /// How many batches the fastest job may be ahead of the slowest, or a job ahead of the oldest batch that it holds, 1
  /// to 1,024. As the first job states it.
  std::size_t ahead = 8;
  /// The first epoch begins without jobs that have not asked for a batch so many seconds after the first one has.
  /// A later one waits as long for jobs that left the one before it early. As the job that prepares states it.
  double wait_seconds = 60;
  /// next() throws if it has waited so many seconds for a batch that cannot come: because this job holds the batches
  /// that are in the way and does not release them, or because the process that prepares, or the slowest, does not run
  /// (it is stopped, or frozen). A slow one is waited for. next() may be called again. Infinite: never.
  double stuck_seconds = 60;
  /// How to prepare. `first_epoch` is that of the first job.
  run_options run{};
};

namespace detail {

/// The memory that a segment may grow to: all of the machine's.
std::size_t shared_capacity();
/// Throws std::invalid_argument for invalid options.
void check_shared(const shared_options& how);
/// Joins the jobs of this name. Throws std::invalid_argument if they run another pipeline.
std::shared_ptr<shared_reader> join(const shared_options& how, std::uint64_t identity, const std::string& pipeline);

/// The pipeline, run in this process for all.
template <class P> class pipeline_source final : public shared_source {
  using element = typename P::element;

 public:
  pipeline_source(P p, run_options how, shared_arena& arena, std::function<void()> arrived)
      : p_(std::move(p)), how_(std::move(how)), arena_(&arena), arrived_(std::move(arrived)) {}

  void begin(std::uint64_t epoch, std::uint64_t number) override {
    made_ = std::nullopt;
    if constexpr (begins_anywhere<P>) {
      if (number != 0) return use(rest_, opened(from_element(p_, number)), epoch);
    }
    use(whole_, whole_.has_value() ? std::nullopt : std::optional(opened(p_)), epoch);
    rest_ = std::nullopt;
    while (number != 0 && now_ != nullptr && now_->next()) --number;
  }
  bool make(bool& pending) override {
    made_ = std::nullopt;
    if (now_ != nullptr) made_ = polled_stream<element>{*now_}.next(pending);
    return made_.has_value();
  }
  bool has_threads() const override { return now_ != nullptr && polled_stream<element>{*now_}.has_threads(); }
  void describe(shared_arena& in, shared_item& item) override {
    in.describe(item, [&](byte_writer to) { codec<element>::encode(*made_, to); });
    made_ = std::nullopt;
  }
  void stop() override {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    if (now_ != nullptr) now_->stop();
  }

 private:
  template <class Q> stream<element> opened(Q p) {
    auto env = setting_of(p, how_);
    env.arrays = arena_;
    auto made = run_with<tracing::off>(std::move(p), std::move(env));
    polled_stream<element>{made}.on_arrival(arrived_);
    return made;
  }
  /// Goes on with this stream, which may be a new one.
  void use(std::optional<stream<element>>& to, std::optional<stream<element>> opened, std::uint64_t epoch) {
    const std::scoped_lock lock(mutex_);
    if (stopped_) {
      now_ = nullptr;  // it may be the stream that is not kept
      return;
    }
    if (opened) to = std::move(opened);
    now_ = &*to;
    now_->restart(epoch);
  }
  const P p_;
  const run_options how_;
  shared_arena* const arena_;
  const std::function<void()> arrived_;
  std::mutex mutex_;
  bool stopped_ = false;
  std::optional<stream<element>> whole_{};  ///< kept from epoch to epoch, with its caches
  std::optional<stream<element>> rest_{};   ///< of the epoch in which another job ended
  stream<element>* now_ = nullptr;
  std::optional<element> made_{};
};

/// Opens what operators keep for other processes, too (`void open_for_others() const`), so that it outlives the job
/// that prepares.
template <class Op, class... Ups> void open_for_others(const node<Op, Ups...>& p) {
  if constexpr (requires { p.op.open_for_others(); }) p.op.open_for_others();
  p.ups.apply([](const auto&... up) { (open_for_others(up), ...); });
}

/// The compiler's message shows the template argument.
template <class Element, bool ok> consteval void run_shared_sends() {
  static_assert(
      ok,
      "plumbline: run_shared cannot lay this element in shared memory, see Element in this message; map it to "
      "numbers, strings, tensors, vectors or plain structs of those, or specialise plumbline::codec for it");
}
template <class Hidden, bool ok> consteval void run_shared_compares() {
  static_assert(
      ok,
      "plumbline: run_shared compares what the jobs' functions and elements(v) hold, and this type hides it, see "
      "Hidden "
      "in this message; specialise plumbline::codec for it, or give it, or the function that holds it, std::uint64_t "
      "content() const, a hash of what is held. A plain struct hides nothing if it has no C arrays (std::array is "
      "fine), no base class and at most 24 members");
}
template <class P> consteval bool runs_shared() {
  if constexpr (!runs<tracing::off, P, run_options>()) {
    return false;
  } else if constexpr (!storable<typename P::element>) {
    run_shared_sends<typename P::element, false>();
    return false;
  } else if constexpr (!comparable_content<P>) {
    run_shared_compares<typename hidden_in_pipeline<P>::type, false>();
    return false;
  } else {
    constexpr bool again = !P::type_facts.one_pass;
    static_assert(
        again,
        "plumbline: run_shared needs a pipeline that any job can begin anew, and this one consumes its source; "
        "use a source that can be read again, such as files or elements");
    return again;
  }
}

}  // namespace detail

/// Runs a pipeline for all jobs of this name; see above. Returns when the job has joined; the first element is waited
/// for. Errors: those of run; std::invalid_argument if the jobs of this name run another pipeline, or with another seed
/// or other sources; std::runtime_error if they do not answer, or the system gives no memory.
template <class P> PLUMBLINE_CALLS_SETUP auto run_shared(P p, shared_options options) {
  if constexpr (detail::runs_shared<P>()) {
    detail::check_shared(options);
    static_cast<void>(detail::setting_of(p, options.run));
    detail::hasher identity;
    identity.add(detail::shared_layout);
    identity.add(detail::fingerprint(p).result());
    identity.add(detail::content_of<false>(p).result());
    identity.add(options.run.seed);
    detail::open_for_others(p);
    auto reader = detail::join(options, identity.result(), detail::chain_of(p));
    return shared_stream<typename P::element>(std::make_unique<detail::shared_session>(
        std::move(reader),
        [p = std::move(p), how = options.run](detail::shared_arena& arena,
                                              std::function<void()> arrived) -> std::unique_ptr<detail::shared_source> {
          return std::make_unique<detail::pipeline_source<P>>(p, how, arena, std::move(arrived));
        },
        options.wait_seconds));
  } else {
    return detail::run_nothing();
  }
}

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/shared/run_shared_inl.hpp>
#endif
