#pragma once
/// run(pipeline, options): a stream of its elements, made on oneTBB flow graphs.

#include <plumbline/exec/lower.hpp>
#include <plumbline/exec/stream.hpp>
#include <plumbline/model/machine.hpp>

#include <stdexcept>

namespace plumbline {

namespace detail {

/// Names an element in words: "element 17 of files (photos/x.jpg)".
template <class P> void find_origin(const P& p, std::uint32_t& next, const lineage& at, std::string& found) {
  if constexpr (std::tuple_size_v<decltype(p.ups)> == 0) {
    if (next++ == at.origin) {
      found = "element " + std::to_string(at.index) + " of " + std::string(p.op.name);
      if (at.sub != 0 && at.sub < (std::uint64_t{1} << 32)) found += ", part " + std::to_string(at.sub - 1);
      if constexpr (requires { p.op.describe(at.index); }) found += " (" + p.op.describe(at.index) + ")";
    }
  } else {
    std::apply([&](const auto&... up) { (find_origin(up, next, at, found), ...); }, p.ups);
  }
}

/// Gives what was thrown its words and throws it on.
template <class P> [[noreturn]] void tell(const P& p, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const thrown& t) {
    std::string text = "plumbline: " + std::string(t.op_name);
    if (t.op != 0) text += " (operator " + std::to_string(t.op) + " of " + std::to_string(operators_in<P>) + ")";
    text += " failed";
    if (t.at_element) {
      std::string where;
      std::uint32_t next = 0;
      find_origin(p, next, t.at, where);
      text += " at " + where + ", epoch " + std::to_string(t.at.epoch);
    }
    std::string why = text_of(t.cause);
    if (const std::string_view own = "plumbline: "; why.starts_with(own)) why.erase(0, own.size());
    throw failure(text + ": " + why, std::string(t.op_name), t.op, t.at, t.cause);
  } catch (const stopped&) {
    throw;
  } catch (...) {  // between operators: an element could not be moved, or memory ran out
    const auto cause = std::current_exception();
    throw failure("plumbline: an element could not be handed on: " + text_of(cause), {}, 0, {}, cause);
  }
}

/// The operators of a pipeline in explain()'s order: "1 files, 2 read_file".
template <class P> void list_operators(const P& p, std::vector<std::string_view>& out) {
  std::apply([&](const auto&... up) { (list_operators(up, out), ...); }, p.ups);
  out.push_back(P::op_type::name);
}
/// A knob for an operator that is not there would be a knob without effect.
template <class P> void check_parallelism(const P& p, const run_options& options) {
  std::vector<std::string_view> names;
  if (!options.parallelism.empty()) list_operators(p, names);
  for (const auto& [which, most] : options.parallelism) {
    const std::string what = "plumbline: run: parallelism of \"" + which + "\"";
    if (most == 0) throw std::invalid_argument(what + " is 0; leave it out or give at least 1");
    bool found = false;
    for (std::size_t i = 0; i != names.size(); ++i)
      found = found || which == names[i] || which == std::to_string(i + 1);
    if (found) continue;
    std::string have;
    for (std::size_t i = 0; i != names.size(); ++i)
      have += (i == 0 ? "" : ", ") + std::to_string(i + 1) + " " + std::string(names[i]);
    throw std::invalid_argument(what + ": this pipeline has no such operator; it has " + have);
  }
}

/// Everything in the consumer's own calls.
template <class P> class inline_runtime final : public runtime<typename P::element> {
 public:
  using element = typename P::element;
  inline_runtime(P p, run_env env)
      : pipeline_(std::move(p)),
        env_((env.stop = &halted_, std::move(env))),
        cursor_(channel_of<false, false>(lower<false, false>(pipeline_, env_, locus{}), env_, true).cursor) {}
  void begin(std::uint64_t epoch) override {
    running_ = true;
    budget_ = 1;
    chunk_.clear();
    waiting_ = nullptr;
    try {
      attempt([&] { cursor_.begin(epoch); });
    } catch (...) {
      waiting_ = std::current_exception();  // told when the first element is asked for, as everywhere
    }
  }
  bool fetch(chunk<element>*& out) override {
    chunk_.clear();
    if (waiting_) std::rethrow_exception(std::exchange(waiting_, nullptr));
    attempt([&] {
      auto since = budget_ < most ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point{};
      while (running_ && chunk_.size() == 0 && !halted_.load(std::memory_order_relaxed)) {
        const auto p =
            cursor_.pump([&](element&& x, const lineage&) { chunk_.values.push_back(std::move(x)); }, budget_);
        if (p == pulse::ended) running_ = false;
        if (budget_ < most) {  // small steps until it is known that they are cheap
          const auto now = std::chrono::steady_clock::now();
          if (now - since < std::chrono::microseconds(20)) budget_ *= 4;
          since = now;
        }
      }
    });
    out = &chunk_;
    return chunk_.size() != 0 && !halted_.load(std::memory_order_relaxed);
  }
  void halt() override { halted_.store(true); }

 private:
  /// An error is told after the elements before it.
  template <class F> void attempt(F&& f) {
    try {
      f();
    } catch (...) {
      running_ = false;
      if (halted_.load()) return;  // nobody wants to know
      try {
        tell(pipeline_, std::current_exception());
      } catch (...) {
        if (chunk_.size() == 0) throw;
        waiting_ = std::current_exception();
      }
    }
  }
  P pipeline_;
  std::atomic<bool> halted_{false};
  run_env env_;
  decltype(channel_of<false, false>(lower<false, false>(std::declval<const P&>(), std::declval<run_env&>(), locus{}),
                                    std::declval<run_env&>(), true)
               .cursor) cursor_;
  static constexpr std::size_t most = 256;  // elements' worth of work in one step
  chunk<element> chunk_;
  std::size_t budget_ = 1;
  std::exception_ptr waiting_;
  bool running_ = false;
};

/// On a flow graph.
template <class P> class graph_runtime final : public runtime<typename P::element> {
 public:
  using element = typename P::element;
  graph_runtime(P p, run_env env)
      : pipeline_(std::move(p)), env_(std::move(env)), engine_(env_.threads, env_.io_threads) {
    env_.graph = &engine_;
    env_.stop = &engine_.stop_flag();
    const bool loose = env_.options.order == output_order::unordered;
    auto line = lower<true, false>(pipeline_, env_, locus{0, 0, loose});
    buffering size{};
    if (env_.options.prefetch) {
      size = buffering::of_elements(*env_.options.prefetch);
      if constexpr (!std::same_as<decltype(line.kernels), std::tuple<>>) size.messages += env_.threads;
    } else if constexpr (std::same_as<decltype(line.kernels), std::tuple<>>) {
      size.messages = 2;
    }
    out_ = close_line<false>(std::move(line), env_, !loose, size);
    engine_.start();
  }
  ~graph_runtime() override {
    halt();
    engine_.shut_down();
  }
  void begin(std::uint64_t epoch) override {
    give_back();
    out_->begin(epoch);
    running_ = true;
  }
  bool fetch(chunk<element>*& out) override {
    for (;;) {
      bool last = false;
      if (held_ != nullptr) {
        last = held_->last;
        const auto error = held_->error;
        give_back();
        if (error) {
          running_ = false;
          tell(pipeline_, error);
        }
      }
      if (last) running_ = false;
      if (!running_) return false;
      held_ = out_->take_waiting();
      if (held_ == nullptr) return false;
      out = static_cast<chunk<element>*>(held_->load);
      if (out != nullptr && out->size() != 0) return true;
    }
  }
  void halt() override {
    engine_.stop();
    out_->close();
  }

 private:
  void give_back() {
    if (held_ != nullptr) out_->release(std::exchange(held_, nullptr));
  }
  P pipeline_;
  run_env env_;
  engine engine_;
  port* out_ = nullptr;
  message* held_ = nullptr;
  bool running_ = false;
};

template <class P> auto run_pipeline(P p, run_options options) {
  using element = typename P::element;
  if (options.chunk == std::size_t{0})
    throw std::invalid_argument("plumbline: run: chunk is 0; leave it out or give at least 1");
  if (options.io_threads == std::size_t{0})
    throw std::invalid_argument("plumbline: run: io_threads is 0; leave it out or give at least 1");
  if (options.prefetch == std::size_t{0})
    throw std::invalid_argument("plumbline: run: prefetch is 0; leave it out or give at least 1");
  if (options.threads > std::size_t{1024})
    throw std::invalid_argument("plumbline: run: threads is " + std::to_string(*options.threads) +
                                "; give at most 1024 (this machine grants " + std::to_string(machine::here().cores) +
                                " cores)");
  if (options.io_threads > std::size_t{4096})
    throw std::invalid_argument("plumbline: run: io_threads is " + std::to_string(*options.io_threads) +
                                "; give at most 4096");
  check_parallelism(p, options);
  run_env env;
  env.threads = options.threads.value_or(machine::here().cores);
  env.io_threads = options.io_threads.value_or(std::max<std::size_t>(4, 2 * env.threads));
  env.seed = options.seed;
  env.options = std::move(options);
  const auto first = env.options.first_epoch;
  std::unique_ptr<runtime<element>> r;
  if (env.threads == 0)
    r = std::make_unique<inline_runtime<P>>(std::move(p), std::move(env));
  else
    r = std::make_unique<graph_runtime<P>>(std::move(p), std::move(env));
  return stream<element>(std::move(r), first);
}

/// What was rejected where it was built is not told again.
stream<ill_formed::element> run_nothing();

/// Can `run` go on? If not, the compiler says why, unless it has already.
template <class P, class Options> consteval bool runs() {
  using given = std::remove_cvref_t<P>;
  constexpr bool is_options = std::convertible_to<Options, run_options>, is_operator = operation<given>;
  if constexpr (rejected<given>) {
    return false;
  } else if constexpr (!pipeline<given>) {
    static_assert(
        !is_operator,
        "plumbline: run got an operator, not a pipeline; begin with a source, for example run(elements(v) | map(f))");
    static_assert(
        is_operator,
        "plumbline: run got something that is no pipeline; begin with a source, for example run(elements(v))");
    return false;
  } else if constexpr (!is_options) {
    static_assert(is_options,
                  "plumbline: run(p, options) got something that is no run_options; name what you set, in braces, for "
                  "example run(p, {.threads = 4})");
    return false;
  } else {
    constexpr bool can_be_had = std::constructible_from<given, P>;
    static_assert(can_be_had,
                  "plumbline: run(p) copies p, and a function or source in p cannot be copied (a lambda that holds a "
                  "unique_ptr?); hand p over, run(std::move(p)), or hold it in shared_ptr");
    return can_be_had;
  }
}

}  // namespace detail

/// Runs a pipeline: a stream of its elements, made by `options.threads` threads (all cores that this process may use,
/// if not said), in the order of the plain serial evaluation, with bounded memory. Nothing starts before the first
/// element is asked for. Errors: what user functions, sources and operators throw reaches the consumer as `failure`,
/// after the elements before it; std::invalid_argument for options that make no sense. `Options` is run_options, given
/// by name: run(p, {.threads = 4}).
template <class P, class Options = run_options> auto run(P&& p, Options&& options = {}) {
  if constexpr (detail::runs<P, Options>())
    return detail::run_pipeline<std::remove_cvref_t<P>>(std::forward<P>(p), std::forward<Options>(options));
  else
    return detail::run_nothing();
}

}  // namespace plumbline
