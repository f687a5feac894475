// SPDX-License-Identifier: MIT
// Types of mprof.js. doc/javascript.md describes the functions; the columns of tables are the fields of the structs in
// the headers of the library, which document them: mprof/profile.h for a profile, mprof/heap.h for a heap graph.

/** 'ok', or what was wrong: mprof_status in mprof/base.h. */
export type Status = 'ok' | 'end' | 'again' | 'argument' | 'state' | 'memory' | 'io' | 'not-mprof' | 'truncated' |
	'malformed' | 'checksum' | 'limit' | 'unsupported' | 'undefined-id' | 'redefined-id' | 'name' | 'interrupted';

/** A fault of a log, with its place: mprof_error. Offsets are bytes of the log, decompressed. */
export interface Fault {
	status: Status;
	/** 1: only this block is damaged. 2: nothing after it can be read. */
	severity: number;
	system_error: number;
	block_code: number;
	offset: number;
	block_offset: number;
	offset_in_block: number;
	what: string;
}

/** Thrown by functions that cannot do what they were called for: wrong arguments, no memory, a source that failed. */
export class MprofError extends Error {
	readonly status: Status;
	readonly fault: Fault | null;
}

/** Kinds of frames: mprof_sample_kind. */
export const frameKinds: {
	readonly method: 1; readonly function: 2; readonly module: 3; readonly location: 4; readonly truncated: 5;
};

/** Not an object: MPROF_HEAP_NO_OBJECT, in the column dominator. */
export const noObject: 0xffffffff;

/**
 * Amounts, such as nanoseconds and bytes: a Float64Array. Numbers above 2^53 are rounded, and Table.rounded is true.
 * With the option exact it is a BigUint64Array, or a BigInt64Array of signed amounts, instead.
 */
export type Amounts = Float64Array;

/**
 * The columns of each table. A column of an array has all elements of a row one after the other. "make update-tables"
 * writes this interface.
 */
export interface Tables {
	methods: {
		id: Uint32Array; calls: Amounts; total_ns: Amounts; self_ns: Amounts; jit_ns: Amounts;
		samples: Amounts; samples_total: Amounts;
	};
	samples: { kind: Uint32Array; id: Uint32Array; self: Amounts; total: Amounts };
	classes: {
		id: Uint32Array; allocations: Amounts; bytes: Amounts; freed: Amounts; freed_bytes: Amounts;
		exceptions: Amounts; load_ns: Amounts; samples: Amounts; allocations_error: Amounts;
		bytes_error: Amounts; exception_texts: Amounts; exception_text_ns: Amounts;
		exception_text: (string | null)[];
	};
	threads: {
		id: BigUint64Array; name: (string | null)[]; events: Amounts; self_ns: Amounts; lost: Amounts;
		samples: Amounts; wall_ns: Amounts; cpu_ns: Amounts; ready_ns: Amounts;
		voluntary_switches: Amounts; involuntary_switches: Amounts; process: Amounts; kind: Uint32Array;
		names: Amounts; former_name: (string | null)[];
	};
	monitors: {
		class_id: Uint32Array; contentions: Amounts; acquired: Amounts; failures: Amounts;
		contended_ns: Amounts; unfinished: Amounts;
	};
	allocation_sites: {
		class_id: Uint32Array; stack: Uint32Array; caller: Uint32Array; flags: Uint32Array;
		allocations: Amounts; bytes: Amounts; call: Uint32Array; samples: Amounts;
		allocations_error: Amounts; bytes_error: Amounts;
	};
	monitor_sites: {
		class_id: Uint32Array; stack: Uint32Array; contentions: Amounts; contended_ns: Amounts;
		failures: Amounts; object: BigUint64Array; call: Uint32Array; unfinished: Amounts;
	};
	totals: {
		wall_ns: Amounts; method_ns: Amounts; calls: Amounts; unmatched_leaves: Amounts;
		unclosed_frames: Amounts; allocations: Amounts; allocated_bytes: Amounts; jit_methods: Amounts;
		jit_ns: Amounts; jit_failures: Amounts; exceptions: Amounts; collections: Amounts;
		gc_ns: Amounts; samples: Amounts; lost_events: Amounts; events: Amounts; event_counts: Amounts;
		block_counts: Amounts; interrupted_frames: Amounts; freed_objects: Amounts;
		freed_bytes: Amounts; moved_objects: Amounts; handles_alive: Amounts; contentions: Amounts;
		contended_ns: Amounts; finalizers: Amounts; finalizer_ns: Amounts; finalizations: Amounts;
		finalization_ns: Amounts; lost_by_cause: Amounts; class_load_failures: Amounts;
		limited: Uint32Array; folded_calls: Amounts; folded_samples: Amounts; folded_sites: Amounts;
		left_out: Amounts; sample_period_ns: Amounts; unfinished_waits: Amounts;
		allocation_samples: Amounts; allocations_error: Amounts; bytes_error: Amounts;
		left_out_spans: Amounts;
	};
	calls: {
		method: Uint32Array; parent: Uint32Array; first_child: Uint32Array; next_sibling: Uint32Array;
		calls: Amounts; total_ns: Amounts; self_ns: Amounts; allocations: Amounts; bytes: Amounts;
		flags: Uint32Array;
	};
	method_codes: {
		method: Uint32Array; origin: Uint32Array; count: Amounts; bytes: Amounts; compile_ns: Amounts;
	};
	durations: {
		method: Uint32Array; slow_calls: Uint32Array; calls: Amounts; left_out: Amounts;
		min_ns: Amounts; average_ns: Amounts; max_ns: Amounts; sum_ns: Amounts; p50_ns: Amounts;
		p90_ns: Amounts; p99_ns: Amounts;
	};
	sample_nodes: {
		kind: Uint32Array; id: Uint32Array; parent: Uint32Array; first_child: Uint32Array;
		next_sibling: Uint32Array; wait: Uint32Array; self: Amounts; total: Amounts;
	};
	exception_sites: {
		class_id: Uint32Array; stack: Uint32Array; exceptions: Amounts; call: Uint32Array;
		texts: Amounts; text_ns: Amounts; text: (string | null)[];
	};
	exception_clauses: {
		method: Uint32Array; class_id: Uint32Array; kind: Uint32Array; number: Uint32Array;
		runs: Amounts;
	};
	heap_shots: {
		number: Uint32Array; incomplete: Uint32Array; time_ns: Amounts; objects: Amounts;
		bytes: Amounts; references: Amounts; freed: Amounts; freed_bytes: Amounts; moved: Amounts;
		roots: Amounts; roots_by_kind: Amounts; classes: Amounts; synthetic_objects: Amounts;
		process: Amounts;
	};
	heap_summaries: {
		collection: Uint32Array; class_id: Uint32Array; time_ns: Amounts; live_objects: Amounts;
		live_bytes: Amounts; dead_objects: Amounts; dead_bytes: Amounts;
	};
	handles: {
		class_id: Uint32Array; type: Uint32Array; created: Amounts; alive: Amounts; deleted: Amounts;
	};
	handle_sites: {
		class_id: Uint32Array; type: Uint32Array; stack: Uint32Array; created: Amounts; alive: Amounts;
	};
	finalizers: { class_id: Uint32Array; count: Amounts; total_ns: Amounts };
	ages: {
		allocations: Amounts; bytes: Amounts; dead: Amounts; dead_bytes: Amounts; live: Amounts;
		live_bytes: Amounts; peak_live: Amounts; peak_bytes: Amounts; peak_ns: Amounts;
		temporaries: Amounts; temporary_bytes: Amounts; ages: Amounts; collections: Amounts;
		sample_interval: Amounts; without_address: Amounts; untracked: Amounts; folded: Amounts;
		deaths_read: Amounts; unmatched_deaths: Amounts; missing_deaths: Amounts;
		unmatched_moves: Amounts; is_estimate: Uint32Array; uncertain_moves: Amounts;
	};
	age_classes: {
		class_id: Uint32Array; sites: Uint32Array; allocations: Amounts; bytes: Amounts; dead: Amounts;
		dead_bytes: Amounts; live: Amounts; live_bytes: Amounts; peak_live: Amounts;
		peak_bytes: Amounts; temporaries: Amounts; temporary_bytes: Amounts; ages: Amounts;
	};
	age_sites: {
		class_id: Uint32Array; stack: Uint32Array; caller: Uint32Array; flags: Uint32Array;
		samples: Amounts; allocations: Amounts; bytes: Amounts; dead: Amounts; dead_bytes: Amounts;
		live: Amounts; live_bytes: Amounts; peak_live: Amounts; peak_bytes: Amounts;
		temporaries: Amounts; temporary_bytes: Amounts; ages: Amounts; allocations_error: Amounts;
		bytes_error: Amounts; live_error: Amounts; live_bytes_error: Amounts; peak_bytes_error: Amounts;
		temporary_bytes_error: Amounts;
	};
	heap_changes: {
		kind: Uint32Array; generation: Uint32Array; number: Amounts; time_ns: Amounts;
		objects_before: Amounts; bytes_before: Amounts; collected_objects: Amounts;
		collected_bytes: Amounts; heap_bytes: Amounts;
	};
	traced_addresses: { address: BigUint64Array; time_ns: Amounts; age: Uint32Array };
	memory: {
		allocations: Amounts; bytes: Amounts; frees: Amounts; resizes: Amounts; live: Amounts;
		live_bytes: Amounts; peak_bytes: Amounts; peak_live: Amounts; peak_ns: Amounts;
		temporaries: Amounts; unmatched_frees: Amounts; missing_frees: Amounts; late_events: Amounts;
		is_estimate: Uint32Array; is_peak_estimate: Uint32Array; folded_sites: Amounts;
		untracked: Amounts; unreachable: Amounts; unreachable_bytes: Amounts; indirect: Amounts;
		indirect_bytes: Amounts; interior: Amounts; interior_bytes: Amounts; unsearched: Amounts;
		unsearched_bytes: Amounts; is_searched: Uint32Array;
	};
	memory_sites: {
		stack: Uint32Array; is_folded: Uint32Array; allocations: Amounts; bytes: Amounts;
		frees: Amounts; live: Amounts; live_bytes: Amounts; peak_live: Amounts; peak_bytes: Amounts;
		temporaries: Amounts; lifetime_ns: Amounts; shortest_ns: Amounts; longest_ns: Amounts;
		unreachable: Amounts; unreachable_bytes: Amounts; indirect: Amounts; indirect_bytes: Amounts;
		interior: Amounts; interior_bytes: Amounts; unsearched: Amounts; unsearched_bytes: Amounts;
		is_searched: Uint32Array;
	};
	memory_sizes: { smallest: Amounts; largest: Amounts; allocations: Amounts; bytes: Amounts };
	collections: {
		number: Amounts; generation: Uint32Array; unfinished: Uint32Array; start_ns: Amounts;
		duration_ns: Amounts; mark_ns: Amounts; sweep_ns: Amounts; pause_ns: Amounts;
		is_counted: Uint32Array; has_pause: Uint32Array; name: (string | null)[];
		cause: (string | null)[]; pinned_objects: Amounts; pinned_bytes: Amounts;
	};
	heap_resizes: { time_ns: Amounts; bytes: Amounts; number: Amounts };
	monitor_holders: {
		class_id: Uint32Array; thread: BigUint64Array; contentions: Amounts; contended_ns: Amounts;
		unfinished: Amounts;
	};
	metrics: {
		id: Uint32Array; flags: Uint32Array; section: (string | null)[]; name: (string | null)[];
		count: Amounts; first: Amounts; last: Amounts; minimum: Amounts; maximum: Amounts;
		last_ns: Amounts; thread: BigUint64Array; unit: (string | null)[];
	};
	marks: { time_ns: Amounts; thread: BigUint64Array; text: (string | null)[] };
	properties: { key: (string | null)[]; value: (string | null)[] };
	elements: {
		kind: Uint32Array; id: Uint32Array; name: (string | null)[]; assembly: (string | null)[];
		loaded_ns: Amounts; load_ns: Amounts; unloaded_ns: Amounts;
	};
	pauses: {
		kind: Uint32Array; unfinished: Uint32Array; start_ns: Amounts; duration_ns: Amounts;
		thread: BigUint64Array; number: Amounts; generation: Uint32Array; has_collection: Uint32Array;
		object: BigUint64Array; holder: BigUint64Array; class_id: Uint32Array; stack: Uint32Array;
	};
	timeline: { start_ns: Amounts; slice_ns: Amounts; slice_count: Amounts; left_out: Amounts };
	event_types: {
		type: Uint32Array; form: Uint32Array; name: (string | null)[]; category: (string | null)[];
		count: Amounts; unmatched: Amounts; errors: Amounts; unfinished: Amounts; spans: Amounts;
		without_self: Amounts; total_ns: Amounts; self_ns: Amounts; min_ns: Amounts; p50_ns: Amounts;
		p90_ns: Amounts; p99_ns: Amounts; max_ns: Amounts;
	};
	spans: {
		type: Uint32Array; form: Uint32Array; name: (string | null)[]; category: (string | null)[];
		thread: BigUint64Array; stack_number: Amounts; start_ns: Amounts; duration_ns: Amounts;
		unfinished: Uint32Array;
	};
	processes: {
		number: Amounts; system_id: Amounts; parent: Amounts; name: (string | null)[];
		command: (string | null)[]; threads: Uint32Array; has_start: Uint32Array; start_ns: Amounts;
		has_end: Uint32Array; end_ns: Amounts; events: Amounts; samples: Amounts; lost: Amounts;
		cpu_ns: Amounts;
	};
	timelines: {
		thread: BigUint64Array; name: (string | null)[]; process: Amounts; system_thread: Amounts;
		parent: BigUint64Array; kind: Uint32Array; clock: Uint32Array; rank: Uint32Array;
		is_ended: Uint32Array; events: Amounts;
	};
	clocks: {
		id: Uint32Array; kind: Uint32Array; name: (string | null)[]; stated_millihertz: Amounts;
		measured_millihertz: Amounts; drift_ppb: Amounts; pairs: Amounts; backward: Amounts;
		residual_ns: Amounts; uncertainty_ns: Amounts; has_drift: Uint32Array;
		has_residual: Uint32Array;
	};
	lines: {
		kind: Uint32Array; id: Uint32Array; line: Uint32Array; file: (string | null)[];
		samples: Amounts; samples_total: Amounts; allocations: Amounts; bytes: Amounts;
	};
	sample_kinds: {
		type: Uint32Array; unit: Uint32Array; name: (string | null)[]; unit_name: (string | null)[];
		source: (string | null)[]; period: Amounts; samples: Amounts; weight: Amounts;
		without_weight: Amounts; without_stack: Amounts;
	};
	sample_groups: {
		type: Uint32Array; cpu: Uint32Array; thread: BigUint64Array; mode: Amounts; samples: Amounts;
		weight: Amounts;
	};
	histograms: {
		id: Uint32Array; flags: Uint32Array; section: (string | null)[]; name: (string | null)[];
		unit: (string | null)[]; thread: BigUint64Array; count: Amounts; buckets: Amounts;
		min_above: Amounts; min: Amounts; p50_above: Amounts; p50: Amounts; p90_above: Amounts;
		p90: Amounts; p99_above: Amounts; p99: Amounts; max_above: Amounts; max: Amounts;
		last_ns: Amounts;
	};
	messages: {
		severity: Uint32Array; is_rest: Uint32Array; source: (string | null)[]; count: Amounts;
		first_ns: Amounts; last_ns: Amounts; thread: BigUint64Array; text: (string | null)[];
	};
	waits: {
		kind: (string | null)[]; name: (string | null)[]; stack: Uint32Array; call: Uint32Array;
		is_rest: Uint32Array; count: Amounts; unfinished: Amounts; total_ns: Amounts; min_ns: Amounts;
		p50_ns: Amounts; p90_ns: Amounts; p99_ns: Amounts; max_ns: Amounts;
	};
	code_ranges: {
		id: Uint32Array; kind: Uint32Array; method: Uint32Array; has_end: Uint32Array;
		name: (string | null)[]; address: BigUint64Array; size: Amounts; start_ns: Amounts;
		end_ns: Amounts; process: Amounts;
	};
	gc_generations: {
		collection: Amounts; name: (string | null)[]; before: Amounts; after: Amounts;
		capacity: Amounts; has_before: Uint32Array; has_after: Uint32Array; has_capacity: Uint32Array;
	};
	thread_states: {
		thread: BigUint64Array; state: (string | null)[]; count: Amounts; total_ns: Amounts;
		priority: Amounts; has_priority: Uint32Array; is_rest: Uint32Array;
	};
	memory_blocks: {
		address: BigUint64Array; size: Amounts; process: Amounts; time_ns: Amounts; stack: Uint32Array;
		reachability: Uint32Array;
	};
	graph: {
		snapshot: Uint32Array; number: Uint32Array; time_ns: Amounts; incomplete: Uint32Array;
		limited: Uint32Array; has_roots: Uint32Array; has_offsets: Uint32Array;
		has_dominators: Uint32Array; has_paths: Uint32Array; has_referrers: Uint32Array;
		objects: Amounts; bytes: Amounts; references: Amounts; classes: Amounts; roots: Amounts;
		roots_by_kind: Amounts; reachable_objects: Amounts; reachable_bytes: Amounts;
		missing_references: Amounts; missing_roots: Amounts; orphan_references: Amounts;
		repeated_objects: Amounts; damaged_blocks: Amounts; used_memory: Amounts; labels: Amounts;
		names: Amounts; weak_references: Amounts; synthetic_objects: Amounts; missing_notes: Amounts;
	};
	heap_snapshots: {
		number: Uint32Array; incomplete: Uint32Array; time_ns: Amounts; objects: Amounts;
		bytes: Amounts; references: Amounts; roots: Amounts;
	};
	heap_classes: {
		class_id: Uint32Array; objects: Amounts; bytes: Amounts; reachable_objects: Amounts;
		reachable_bytes: Amounts; retained_bytes: Amounts;
	};
	heap_objects: {
		address: BigUint64Array; bytes: Amounts; retained_bytes: Amounts; class_id: Uint32Array;
		class_index: Uint32Array; dominator: Uint32Array; is_reachable: Uint32Array;
		is_root: Uint32Array; references: Uint32Array; referrers: Uint32Array; flags: Uint32Array;
		label: (string | null)[]; weak_references: Uint32Array;
	};
	heap_roots: { object: Uint32Array; kind: Uint32Array; area: Uint32Array; holder: Uint32Array };
	session: {
		dialect: Uint32Array; version: Uint32Array; flags: Amounts; complete: Uint32Array;
		runtime: (string | null)[]; start_counter: BigUint64Array; start_time_us: Amounts;
		end_counter: BigUint64Array; end_time_us: Amounts; counters_per_second: Float64Array;
		valid_bytes: Amounts; lost_events: Amounts;
	};
	error: {
		status: Uint32Array; severity: Uint32Array; system_error: Uint32Array; block_code: Uint32Array;
		offset: Amounts; block_offset: Amounts; offset_in_block: Amounts; what: (string | null)[];
	};
	fault: {
		status: Uint32Array; severity: Uint32Array; system_error: Uint32Array; block_code: Uint32Array;
		offset: Amounts; block_offset: Amounts; offset_in_block: Amounts; what: (string | null)[];
	};
	block: {
		kind: Uint32Array; code: Uint32Array; offset: Amounts; header_length: Amounts;
		content_length: Amounts; loaded: Uint32Array; has_clocks: Uint32Array; thread: BigUint64Array;
		start_counter: BigUint64Array; start_time_us: Amounts; end_counter: BigUint64Array;
		end_time_us: Amounts;
	};
	index: {
		kind: Uint32Array; offset: Amounts; content_length: Amounts; thread: BigUint64Array;
		start_counter: BigUint64Array; end_counter: BigUint64Array;
	};
	method: {
		id: Uint32Array; class_id: Uint32Array; flags: Uint32Array; name: (string | null)[];
		source_file: (string | null)[]; source_line: Uint32Array;
	};
	class: { id: Uint32Array; assembly_id: Uint32Array; size: Uint32Array; name: (string | null)[] };
	module: {
		id: Uint32Array; address: BigUint64Array; size: Amounts; file_offset: Amounts;
		file: (string | null)[]; build_id: (string | null)[]; is_removed: Uint32Array;
	};
	function: {
		id: Uint32Array; module: Uint32Array; offset: Amounts; size: Amounts; name: (string | null)[];
	};
	location: { id: Uint32Array; module: Uint32Array; function: Uint32Array; offset: Amounts };
	position: { line: Uint32Array; is_inlined: Uint32Array };
	root_area: {
		id: Uint32Array; kind: Uint32Array; class_id: Uint32Array; thread: BigUint64Array;
		address: BigUint64Array; size: Amounts; name: (string | null)[];
	};
	timeline_slices: {
		start_ns: Amounts; existing_ns: Amounts; methods_ns: Amounts; waiting_ns: Amounts;
		stopped_ns: Amounts; cpu_ns: Amounts; samples: Amounts; waiting_samples: Amounts;
	};
	slow_calls: {
		method: Uint32Array; call: Uint32Array; thread: BigUint64Array; duration_ns: Amounts;
		start_ns: Amounts;
	};
	heap_shot_classes: { class_id: Uint32Array; objects: Amounts; bytes: Amounts };
	nodes: {
		kind: Uint32Array; id: Uint32Array; flags: Uint32Array; parent: Uint32Array;
		first_child: Uint32Array; next_sibling: Uint32Array; count: Amounts; self: Amounts;
		total: Amounts; position: Uint32Array;
	};
	frames: {
		kind: Uint32Array; id: Uint32Array; flags: Uint32Array; choice: Uint32Array; count: Amounts;
		self: Amounts; total: Amounts;
	};
	callers: {
		kind: Uint32Array; id: Uint32Array; flags: Uint32Array; choice: Uint32Array; count: Amounts;
		self: Amounts; total: Amounts;
	};
	callees: {
		kind: Uint32Array; id: Uint32Array; flags: Uint32Array; choice: Uint32Array; count: Amounts;
		self: Amounts; total: Amounts;
	};
	findings: {
		kind: (string | null)[]; text: (string | null)[]; command: (string | null)[];
		section: (string | null)[]; severity: Uint32Array;
	};
}

export type TableName = keyof Tables;

/** What a column is: mprof_table_column. */
export interface ColumnDescription {
	name: string;
	/** mprof_column_unit; null for tables that the library does not describe. */
	unit: 'count' | 'bytes' | 'ns' | 'time' | 'method' | 'class' | 'thread' | 'stack' | 'call' | 'row' |
		'address' | 'number' | 'kind' | 'bits' | 'boolean' | 'text' | 'value' | null;
	/** mprof_column_measure; null for MPROF_MEASURE_NONE. */
	measure: 'count' | 'self' | 'total' | 'further' | 'liveCount' | 'live' | 'peakCount' | 'peak' |
		'temporaryCount' | 'temporary' | 'sampled' | null;
}

/** The rows of a table as columns. All arrays are copies. */
export type Table<Name extends TableName> = Tables[Name] & {
	/** Number of rows. */
	length: number;
	/** An amount exceeds 2^53, so it may be rounded. */
	rounded: boolean;
};

type Cell<Column> = Column extends BigUint64Array ? bigint : Column extends (infer Text)[] ? Text : number;

/** One row. An array of amounts stays an array; a row that was asked for exactly has bigint in place of number. */
export type Row<Name extends TableName> = { [Column in keyof Tables[Name]]: Cell<Tables[Name][Column]> };

export interface TableOptions {
	/** What the table belongs to: the index of a thread (timeline_slices) or of a snapshot (heap_shot_classes), the
	 * ID of a method (slow_calls) or of a definition (method, class, module, function, location, root_area). */
	which?: number;
	/** Index of the first row. */
	first?: number;
	/** Maximum number of rows. */
	count?: number;
	/** Amounts are 64-bit integers. */
	exact?: boolean;
}

/** A frame of a call stack. */
export interface Frame {
	/** The method, 0 if not known; the location if native, 0 for outer frames that were not recorded. */
	id: number;
	isNative: boolean;
	isCompiling: boolean;
	/** The code of its caller contains the frame. */
	isInlined: boolean;
	/** The line of the source in which it is; 0 if not known. */
	line: number;
}

export interface ReadOptions {
	/** Return 'interrupted' after about that many milliseconds; the same call continues. */
	milliseconds?: number;
	/** Called about once for each MiB. totalBytes is 0 while the log is being fed. Must not call the module. */
	onProgress?: (doneBytes: number, totalBytes: number) => void;
}

export interface ReadAllOptions {
	onProgress?: (doneBytes: number, totalBytes: number) => void;
	signal?: AbortSignal;
}

/** What profiles, event cursors, heap graphs and frame trees have in common. */
export interface View {
	readonly log: Log;
	/** The result of the last call that read. */
	readonly status: Status;
	/** The faults of the log that were found so far. */
	readonly faults: Fault[];
	session(): Row<'session'> & { dialect_name: string; compressed: boolean };
	/** The error of the last call that failed. */
	error(): Fault;
	rowCount(name: TableName, which?: number): number;
	table<Name extends TableName>(name: Name, options?: TableOptions): Table<Name>;
	row<Name extends TableName>(name: Name, options?: TableOptions): Row<Name> | null;
	/** "Class.Method (arguments)"; null for 0. "#ID" stands for what is not defined. */
	methodName(id: number): string | null;
	/** The same with the name in the source for methods that a compiler generated. */
	readableMethodName(id: number): string | null;
	className(id: number): string | null;
	/** The name of a frame of a tree or of a table of samples; null if not known. */
	frameName(kind: number, id: number): string | null;
	method(id: number): Row<'method'> | null;
	class(id: number): Row<'class'> | null;
	definition<Name extends 'module' | 'function' | 'location' | 'root_area'>(kind: Name, id: number):
		Row<Name> | null;
	readonly methodCount: number;
	readonly classCount: number;
	/** Number of definitions of an mprof_record_kind. */
	definitionCount(recordKind: number): number;
	/** The frames of a stack ID, the innermost first. */
	stack(id: number): Frame[];
	/** The field in which an object of a class has a reference, such as "next" or "[3].value"; null if not
	 * known. */
	fieldName(classId: number, offset: number | bigint): string | null;
	/** Nanoseconds since the start of the session. */
	timeOf(counter: bigint | number): number;
	counterAt(nanoseconds: number): bigint;
	/** Frees the memory of the view. Nothing else does. */
	close(): void;
}

export interface ProfileOptions {
	maxMemory?: number;
	withoutCallTree?: boolean;
	maxStackDepth?: number;
	withCompilations?: boolean;
	withCallSites?: boolean;
	withMonitorObjects?: boolean;
	rawCounters?: boolean;
	/** Samples of idle threads are one frame. */
	foldIdle?: boolean;
	/** Nanoseconds since the start of the session. */
	windowStartNs?: number;
	windowEndNs?: number;
	aliveAtNs?: number;
	/** IDs of the threads that count. */
	threads?: Iterable<bigint | number> & { length: number };
	withDurations?: boolean;
	slowCalls?: number;
	withLocations?: boolean;
	withAges?: boolean;
	/** Maximum number of slices of the timeline, 2 to 10000; without it there are no slices and no pauses. */
	timelineSlices?: number;
	maxSpans?: number;
}

export interface FrameTreeOptions {
	source?: 'calls' | 'samples' | 'allocations' | 'memory' | 'memoryLive' | 'memoryPeak' | 'memoryTemporary';
	inverted?: boolean;
	maxDepth?: number;
	/** Only call stacks with a frame in focus. */
	hasFocus?: boolean;
	/** Bits of mprof_frame_choice for each distinct frame: 1 focus, 2 ignore, 4 hide, 8 select. */
	choose?: (kind: number, id: number) => number;
	/** Of all sources but calls: frames in different lines are different nodes, see their column position. */
	withLines?: boolean;
	/** Of allocations, waits, handles and native memory: frames of native code are locations, not functions. */
	withLocations?: boolean;
}

export interface Profile extends View {
	/**
	 * Reads what is available and finishes the profile, so that all tables can be read: 'ok' at the end of a
	 * complete log; 'again' if more bytes have to be fed; 'interrupted' after the time has passed; else the first
	 * fault.
	 */
	read(options?: ReadOptions): Status;
	/** The same in steps, between which other tasks run, up to the end or to 'again'. */
	readAll(options?: ReadAllOptions): Promise<Status>;
	totals(options?: TableOptions): Row<'totals'>;
	/** A percentile of the durations of a method's calls in nanoseconds; null if no call has ended. */
	percentile(method: number, percent: number): number | null;
	/** The call stack of a row of age_sites. */
	ageSiteStack(index: number): Frame[];
	/** What stands out, the most severe first: the sentences of `mprof report`. Replaces the table findings. */
	findings(options?: FindingOptions): Finding[];
	frameTree(options?: FrameTreeOptions): FrameTree;
}

export interface FindingOptions {
	/** The name of the log in commands; without it, "FILE". */
	log?: string;
	/** The most findings; without it, 7. */
	maxCount?: number;
	/** The name of a frame, or of a class (kind 7), in a sentence; null for the usual one. */
	name?: (kind: number, id: number) => string | null;
}

export interface Finding {
	/** As "hot-method"; mprof_finding has a list. */
	kind: string;
	text: string;
	/** A command line that shows more. */
	command: string;
	/** The section of `mprof report` that shows more. */
	section: string;
	/** 0 to 100. */
	severity: number;
}

/** Has the tables nodes, frames, callers and callees. A copy: it does not change with the profile. */
export interface FrameTree extends View {}

/** Events as columns, all copies. */
export interface EventBatch {
	length: number;
	kind: Uint8Array;
	flags: Uint16Array;
	id: Uint32Array;
	counter: BigUint64Array;
	value: BigUint64Array;
	time_ns: Float64Array;
	/** Whether any event has a detail; without it, the following are undefined. */
	hasDetails: boolean;
	object?: BigUint64Array;
	size?: BigUint64Array;
	started?: BigUint64Array;
	samples?: BigUint64Array;
	caller?: Uint32Array;
	stack?: Uint32Array;
	handle_type?: Uint32Array;
	/** References of event i are those from reference_end[i - 1] (0 of the first event) to reference_end[i]. */
	reference_end?: Uint32Array;
	references?: BigUint64Array;
	/** Offsets of the references, 2^64 - 1 where not known; undefined if none is known. */
	offsets?: BigUint64Array;
}

export interface EventCursor extends View {
	/** The next block, null at the end, or while more bytes have to be fed (status 'again'). Damaged blocks are
	 * skipped and noted in faults. */
	nextBlock(): Row<'block'> | null;
	/** The next events of the block, at most 16384; null if it has no more. */
	nextEvents(capacity?: number): EventBatch | null;
	/** Reads the events of the block without copying them, and returns their number. */
	countEvents(): number;
	/** The values of metrics of the block, at the time of the block. Their IDs are those of the table metrics. */
	metricValues(): { length: number; id: Uint32Array; value: Float64Array; counter: BigUint64Array };
	/** Reads the log once; then the table index has its blocks, and the following functions can be called. */
	buildIndex(options?: ReadOptions): Status;
	/** nextBlock() then returns the block at this offset. */
	seek(offset: number): void;
	/** nextBlock() then returns the first block that may have events at this time or later. */
	seekTime(nanoseconds: number, thread?: bigint): void;
	/** The methods that are open in a thread after its events up to a counter, the innermost first. */
	openFrames(thread: bigint, counter: bigint): Frame[];
}

export interface HeapReference {
	/** The object at the other end; null if the snapshot lacks it. */
	object: number | null;
	offset: bigint | null;
}

export interface HeapPath {
	root: { object: number; kind: number; area: number };
	/** From the root to the object. The offset is that of the reference to the next step. */
	steps: { object: number; isDominator: boolean; offset: bigint | null }[];
}

export interface HeapGraph extends View {
	/** As Profile.read(). 'again' and 'interrupted' mean that the graph has no objects yet. */
	read(options?: ReadOptions): Status;
	readAll(options?: ReadAllOptions): Promise<Status>;
	totals(options?: TableOptions): Row<'graph'>;
	buildDominators(): void;
	buildPaths(): void;
	buildReferrers(): void;
	objectAt(address: bigint): number | null;
	object(number: number): Row<'heap_objects'> | null;
	/** Objects by their immediate dominator, the largest first; by default those that only roots dominate. */
	dominated(dominator?: number, capacity?: number): { count: number; objects: Uint32Array };
	/** The retained size of a set of objects, in bytes. */
	retained(objects: ArrayLike<number>): number;
	references(object: number, options?: { first?: number; count?: number }): HeapReference[];
	/** Needs buildReferrers(). */
	referrers(object: number, options?: { first?: number; count?: number }): HeapReference[];
	/** A shortest path from a root; null if no root reaches the object. Needs buildPaths(). */
	path(object: number): HeapPath | null;
	/** The last reference of that path: from the object before; null if a root refers to the object, or none
	 * reaches it. */
	parent(object: number): HeapReference;
}

export interface Log {
	/** Bytes of the log that are available, decompressed. */
	readonly byteLength: number;
	/** Bytes that were fed. */
	readonly fedBytes: number;
	readonly compressed: boolean;
	readonly finished: boolean;
	/** What is wrong with the compressed file, null if nothing. */
	readonly gzipFault: string | null;
	/** Appends bytes, which the log keeps: they must not be changed. One call at a time. */
	feed(bytes: ArrayBuffer | ArrayBufferView): Promise<void>;
	/** No more bytes follow. */
	finish(): Promise<void>;
	profile(options?: ProfileOptions): Profile;
	/** kinds: numbers of the blocks to load (mprof_block_kind); of others only headers are read. */
	events(options?: { kinds?: number[] }): EventCursor;
	/** snapshot: from 1; 0 means the last. listOnly: only the table heap_snapshots. */
	heapGraph(options?: { snapshot?: number; listOnly?: boolean; maxMemory?: number }): HeapGraph;
	/** Closes all views and forgets the bytes. */
	close(): void;
}

/** Bytes that are read at any position, such as a file of Node, or a Blob with FileReaderSync in a worker. */
export interface RandomAccess {
	readonly size: number;
	/** Copies bytes from a position on to the target, and returns their number. */
	read(position: number, target: Uint8Array): number;
}

export type LogData = ArrayBuffer | ArrayBufferView | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> |
	RandomAccess;

export interface Mprof {
	/** Version of the library. */
	readonly version: string;
	readonly tableNames: TableName[];
	/** What the columns of a table are. */
	columns(table: TableName): ColumnDescription[];
	/** A log whose bytes the caller feeds. */
	createLog(): Log;
	/** A whole log, which may be compressed with gzip unless it is a RandomAccess. */
	open(data: LogData, options?: { onProgress?: (doneBytes: number, totalBytes: number) => void }): Promise<Log>;
	eventName(kind: number): string;
	/** What the IDs of such events identify. */
	eventSubject(kind: number): 'method' | 'class' | null;
	blockName(kind: number): string;
	dialectName(dialect: number): string;
	lossName(cause: number): string;
	/** Of the column form of the table event_types. */
	formName(form: number): string;
	/** Names to show instead of symbols of the linker, for all logs. The library contains no demangler. */
	useReadableNames(names: Iterable<[symbol: string, name: string]>): void;
	/** Of the column type of the tables of handles. */
	handleName(type: number): string;
	statusText(status: number): string;
}

/** Loads libmprof.wasm from its bytes or a compiled module. */
export function loadMprof(wasm: ArrayBuffer | ArrayBufferView | WebAssembly.Module): Promise<Mprof>;
