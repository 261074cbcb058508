"""The vocabulary between client and worker: which messages exist and what they carry.

Every message has the field `run`, a random hexadecimal id that the client chose; a message with
another run's id is not of this run and is dropped. Positions of arrays are named as in
`jaxscope.model.graph`. A text may be a sentence that `jaxscope.model.said` packed.

Client to worker (each starts a run; one run at a time):

    capture      file, call (null: the file's first offered call), target, x64, passes
    time         file, call, target, x64, budget_s, is_stretched, precision, gradient, skip_eager,
                 rigorous, waits: where that is set, a further message follows once the arguments
                 are made or before: go_on
    profile      file, call, target, x64, budget_s, skip_eager
    scale        file, call, target, x64, vary, sizes [int, …], budget_s, skip_eager, preset ("",
                 "batch" or "depth")
    recompile    file, calls [text, …], target, x64
    compare      file, call, target, x64, other_file, other_call, budget_s; what a program is made
                 with: precision, dtype, donate, remat, options {name: text}; the same of the second
                 with other_ before
    side         file, call, target, x64, precision, dtype, donate, remat, options, name ("first" or
                 "second"), is_fresh, budget_s: one of two programs that have a process each; then
                 further messages follow: tell_outcome; outcome (of the other, as below); block with
                 kept, dropped: measure so many calls after so many; finish
    agree        file, call, target, x64
    values       file, call, target, x64, loaded {path: file}, against ("", "jit", "float64" or
                 "again": the form to compare with), ulps (that are no difference): runs the program
                 equation by equation
    step         the same, and stage (empty: that of `values`), most_bytes (that are kept): then
                 further messages follow, each with number: move with to ("start", "end", "forward",
                 "back", "into", "out", "origin"; "place" with equation and iterations; "condition"
                 with condition); look with kind, index and slice of a value, and holds: whether
                 those that are looked at next are compared with it, and forms ["jit", "float64",
                 "again", "trials": jit without parts of the compiler]: in which it is shown as
                 well; finish
    trace_lines  file, call, target, x64: traces the call once more and says what Python did
                 meanwhile, then calls the compiled program twice
    calibrate    target, x64                 measures what the machine reaches at most
    compile_time file, call, target, x64     compiles once, and says where the time went
    remat        file, call, target, x64     compiles a gradient with each policy of jax.checkpoint
    open         name, label, platform, target, files {role: [path, …]}: reads one module that a job
                 left behind; executes nothing
    outline      file                        lists functions and calls; executes nothing
    propose      file, function              finds a call of the function that traces
    environment                              versions and devices, for `doctor`

To another machine every request also has target_name, what the person calls the target, and carries
the user's files: arrays carried_path.utf8, carried_path.offsets, carried (uint8) and carried_bytes
(int64), one entry per file. Texts that stand in place of files of the worker's own machine come as
the same arrays with draft in place of carried.

Worker to client:

    hello        pid, python, protocol                       once, before any run; run is ""
    progress     step, text, left_s (null: unknown; seconds that the step takes at most),
                 can_skip (whether SIGUSR1 would leave out just this step)
    file         path, sha256; array utf8                    snapshot of a source file
    head         call, base, transforms, source {file, line, text}, environment {…}, target,
                 arguments [[path, type, bytes, static], …], results [[…], …]
    tags         argument_paths: of a function that a library jitted, places in its user's
                 arguments, by JAX's names; arrays base.utf8, base.offsets, derived.utf8,
                 derived.offsets: equation ids
    stage        name, title, seconds (null: unknown), unavailable (null, or a sentence),
                 is_on_request (missing only because nobody asked for it),
                 form ("graph", "hlo" or "none"), cost [flops, bytes, transcendentals] (null:
                 unknown), has_no_kernels (XLA generated no code); arrays: the graph's
                 columns, or `proto` (uint8, a serialized HloModuleProto) and `instruction_cost`
                 (float64, (n, 3), one row per instruction in the proto's order)
    cost         name, cost; array instruction_cost: as in `stage`, of one that came without
    text         name; arrays utf8 and, where known, line_nodes (int32)   a stage's text
    text_missing name, reason
    kernels      name, left_out (kernels); the code of a stage, of which its text is made: arrays
                 kernel.utf8, kernel.offsets and form.utf8, form.offsets (strings), code (uint8)
                 and code_bytes (int64), one entry per kernel and form
    memory       argument_bytes, result_bytes, temporary_bytes, aliased_bytes, code_bytes,
                 peak_bytes (null: unknown), reason (null, or why there is no plan), donated,
                 kept [place of an argument, …]: the compiled program's memory, per device
    buffer_assignment  aliased [number of a parameter, …]; array utf8: XLA's own table of where it
                 put each value, of which the memory plan of an opened module is made
    placement    reason (null, or why nothing is known), devices [[id, kind, process, coordinates],
                 …] in the program's order, axes of the mesh [[name, size], …], arguments and
                 results [text, …]: shardings as HLO writes them, empty where unknown; array proto
                 (uint8, a serialized HloModuleProto), for several devices: the module in which
                 every value has its sharding, before it is cut for one device
    job          process, members [{host, lowered, compiled, reason}, …], one for each process of a
                 distributed program: what it compiled (SHA-256), or why that is not known
    pass         name, pipeline (both empty for the module as XLA received it), cost [flops, bytes,
                 transcendentals]; array proto (uint8, a serialized HloModuleProto): the module
                 after a pass that changed something, in order
    fusion_log   array utf8: how XLA's pass priority-fusion decided, as it wrote it itself
    passes_end   seconds, reason (null, or why passes are missing), no_times (null, or why no pass
                 has seconds); array pass_seconds (float64): of the pass before each `pass`, in the
                 compilation whose result is shown; NaN is unknown
    check        rule, severity, message, remedy, file, line, equation, lesson (empty: none)
    message      text
    timed        call, environment {…}       what a run measures: `time` and the experiments
    conditions   load, processors, processor_share, busy_processors (null: unknown): how busy the
                 machine was so far; replaces an earlier one
    measurement  name, protocol, detail, began, ended (seconds from the run's start, null:
                 unknown), steady_from (number of a call, 0: unknown), page_faults (median of a
                 call, null: not counted), compilations (in a call); array seconds (float64),
                 one entry per call; replaces an earlier one of the same name
    device_time  name (of a measurement); array seconds (float64): for how long each of some other
                 calls kept the device at work, by XLA's recorder
    ratio        name, why_not (why no verdict makes sense; empty: one does); array log_ratios
                 (float64), one entry per pair of chunks
    warning      text
    node_times   stage, protocol, names [text, …]; arrays of R runs and N names: inclusive and
                 exclusive (float64, (R, N)), counts (int32, N), covered (float64, R), walls and
                 plain (float64): whole runs with and without recording
    node_times_missing  stage, reason
    timeline     stage, names, lanes [text, …], returned, wall, covered (seconds), num_left_out;
                 arrays name, lane (int32), began, seconds (float64), one entry per event of one
                 run, times from the call's start
    scale        vary, sizes, forms [name, name]
    scale_point  size, reason, trace, lower, compile, flops, bytes_accessed, memory, first_compile
                 (null: unknown), is_judged (false: no verdict makes sense); arrays eager.seconds,
                 jit.seconds, log_ratios
    sequence     calls [text, …]
    signature    number, function, place, call, arguments [text, …], nearest (null or a number),
                 changes [[kind, path, before, after], …], trace, lower, compile (null: unknown),
                 is_from_cache, jax_says, agrees (null: not said)
    signature_calls  counts [int, …], one per signature
    outside      programs [[name, number, seconds], …]: compiled outside of jitted functions' calls
    compile_time spans [{name, kind, parent, seconds, file, line}, …], lines [{file, line, trace,
                 lower, equations}, …], num_equations, num_looks, advice [text, …]
    sides        first, second               what `compare` compares, in words
    costs        first, second {flops, bytes_accessed, memory} (null: unknown)
    side_ready   words, typical_s, is_judged (false: no verdict makes sense), flops,
                 bytes_accessed, memory (null: unknown)
    block        reason (empty, or why it ended early), num_compilations; array seconds (float64)
    outcome      leaves [{path, dtype, shape}, …], reason (empty, or why there are none); arrays
                 leaf0, leaf1, … (uint8): what a program returned
    side_end     the fields of conditions
    ceiling      name ("matmul" or "stream"), unit, work, protocol; array seconds (float64): times
                 of so much work each
    remat_subject  text                      which gradient the policies are for
    remat_policy policy, seconds, temporary_bytes (null: unknown), reason (null, or why it could not
                 be compiled); arrays: the columns of the gradient's jaxpr, proto (uint8) and
                 instruction_cost (as in `stage`) of the compiled module
    results      first, second, reason, leaves [{path, type, count, differing, max_ulp,
                 max_absolute, max_relative, index, first, second, num_nan}, …]
    equations    stage, num_equations, equations [{id, operation, place, inputs_equal,
                 worst {as a leaf}}, …]
    origin       equations [id, …], operations [text, …], place, worst {as a leaf}, is_least,
                 fusions [text, …], trials [{what, option, outcome, reason, whole}, …],
                 num_compiled, reason: where eager and jit part, and what switched off mends it; a
                 later one replaces an earlier one
    origin_missing  reason
    values       stage, arguments, results [{shape, dtype, min, max, mean (null: unknown), num_nan,
                 num_inf, text}, …]: what went into a program and came out;
                 argument_paths, result_paths [text, …], given: of Inf that stands in the program,
                 a sentence
    equation_values  equations [{id, operation, types [text, …], outputs {as above}, num_runs, file,
                 line}, …]
    nonfinite    equation, stage, operation, kind ("nan" or "inf"), file, line, iterations
                 [number, …], element [number, …], operands {as above}, because, cause (the equation
                 that made the Inf that the NaN is made of); in the order in which NaN and Inf were
                 made first
    comparison   form, results [{number, difference}], equations [{id, operation, type, number,
                 difference (as in array_view), file, line}], in_own_type [text, …], reason: the
                 same values in another form; of jit then once more, with trials (as of origin) of
                 the first that differs, and trials_reason
    stepping     stage, num_equations, argument_paths [text, …]: the program of `step` is ready
    step         number, equation, is_end, iterations, rounds [number, …], operation, file, line,
                 values [{kind, index, name, type, summary {as in values}, source, loaded}, …],
                 num_left_out, can_enter, inside, note, is_unmoved, failure, kept_bytes, most_bytes;
                 where NaN or Inf was looked for origin {as nonfinite} and chain [{equation,
                 operation, line, iterations, text}, …]: the answer to `move`
    array_view   number, slice, shape, cells [text, …], num_rows, num_columns,
                 starts and steps [number, …] of its dimensions, summary, sampled,
                 problem, note, against (what is held), difference (null or {num_elements,
                 num_different, num_odd, max_abs, max_ulps, place}), forms [{form, cells,
                 difference, reason, trials and trials_reason (as of comparison)}]; arrays picture,
                 highest (float64, two dimensions), odd (int32, the same), counts (int64), edges
                 (float64, one more): the answer to `look`
    traced_lines lines [{file, line, text, function, depth, is_resumed, inside, is_traced,
                 equations [{id, operation, type, is_shared}, …], num_aside, effects [text, …],
                 statement, outcome, round, num_rounds}, …]: what ran while a call was traced, in
                 order, in several messages
    traced       stage, num_equations, num_unplaced, num_lines, calls_back, failure, reruns
                 [number of lines, …], no_reruns: what the lines are of; a later one replaces an
                 earlier one
    outline      functions [{name, kind, line, end_line, signature, doc}], calls [{call, line}], doc
    proposal     call
    environment  jax, jaxlib, numpy, python, executable, platform, device, host, system,
                 devices [{id, platform, kind, memory_bytes}],
                 targets [{target, is_available, reason}]
    done         wall_seconds                                 the run ended well
    failed       fault ("source", "call", "trace", "environment", "internal"), stage (null or a
                 name), explanation {what, why, where, remedy, kind, traceback, full_traceback,
                 output, calls, part, example, is_misspelt,
                 is_out_of_memory}
"""

from __future__ import annotations

PROTOCOL_VERSION = 1

DISCONNECTED_STATUS = 92
"""Exit status of a worker that finds its connection closed; any number that few programs use."""

BEGUN_SIGN = b"b"
"""Among a worker's signs of life: it has taken its request."""

INTERRUPT, SKIP, SHOW_STACK = b"i", b"s", b"w"
"""Commands to a worker on a system without signals, through a pipe of their own: stop the run,
leave out the part that can be, write where the main thread is."""

FOR_READING = "JAXSCOPE_FOR_READING"
"""In the environment of a worker that only reads a file, and so does not load JAX."""
