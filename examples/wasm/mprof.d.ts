// SPDX-License-Identifier: MIT
// Types of mprof.js. doc/javascript.md describes the functions; the columns of tables are the fields of the structs in
// the headers of the library, which document them: mprof/profile.h for a profile, mprof/heap.h for a heap graph. "make
// wasm" declares them in tables.d.ts, beside libmprof.wasm.

import type { Tables } from './tables.js';

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

export type { Tables } from './tables.js';

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
