// SPDX-License-Identifier: MIT
// Reads mprof logs with libmprof.wasm: profiles, events and heap graphs as typed arrays. doc/javascript.md describes it,
// mprof.d.ts declares the types. Runs in browsers, in workers and in Node.

const statusNames = {
	0: 'ok', 1: 'end', 2: 'again', 16: 'argument', 17: 'state', 18: 'memory', 19: 'io', 20: 'not-mprof',
	21: 'truncated', 22: 'malformed', 23: 'checksum', 24: 'limit', 25: 'unsupported', 26: 'undefined-id',
	27: 'redefined-id', 28: 'name', 29: 'interrupted',
};

const statusOk = 0;
const statusEnd = 1;
const statusAgain = 2;
const statusArgument = 16;
const statusState = 17;
const statusMemory = 18;
const statusInterrupted = 29;
const severityBlock = 1;
const eventsBlock = 6;

// Statuses that are errors of the caller or final, not statements about the log.
const thrownStatuses = new Set(['argument', 'state', 'memory', 'io']);

// What mprof_js_get_name() and mprof_js_get_definition_count() take; 1 to 5 are the kinds of frames.
const nameKinds = { class: 16, readable: 17, event: 18, block: 19, dialect: 20, loss: 21, status: 22 };

export const frameKinds = Object.freeze({ method: 1, function: 2, module: 3, location: 4, truncated: 5 });

const frameSources = { calls: 1, samples: 2, allocations: 3 };

// Types of columns.
const columnText = 4;
const columnArrays = [Uint32Array, Float64Array, Float64Array, BigUint64Array, Uint32Array, Float64Array, Uint32Array];
const exactArrays = [Uint32Array, BigUint64Array, BigInt64Array, BigUint64Array, Uint32Array, Float64Array, Uint32Array];

// Rows of a table that are copied at once.
const rowsAtOnce = 16384;

export const noObject = 0xffffffff;

/** An error of the library, or of a call that is not allowed. */
export class MprofError extends Error {
	constructor(status, message, fault) {
		super(message);
		this.name = 'MprofError';
		this.status = status;
		this.fault = fault ?? null;
	}
}

function concatenate(pieces) {
	const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
	let at = 0;
	for (const piece of pieces) {
		whole.set(piece, at);
		at += piece.length;
	}
	return whole;
}

function toBytes(data) {
	if (data instanceof Uint8Array)
		return data;
	if (ArrayBuffer.isView(data))
		return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
	return new Uint8Array(data);
}

// Lets other tasks run: messages of a worker, drawing of a page.
function yieldToTasks() {
	return new Promise((resolve) => setTimeout(resolve, 0));
}

// Decompresses one member of a gzip file. Its bytes are delivered as soon as they arrive.
class GzipMember {
	#writer;
	#reading;
	failed = false;
	delivered = 0;

	constructor(deliver, skip) {
		const stream = new DecompressionStream('gzip');
		this.#writer = stream.writable.getWriter();
		this.#writer.closed.catch(() => {});
		this.#reading = this.#read(stream.readable.getReader(), deliver, skip);
	}

	async #read(reader, deliver, skip) {
		try {
			for (;;) {
				const { done, value } = await reader.read();
				if (done)
					return;
				const from = Math.min(value.length, Math.max(0, skip - this.delivered));
				this.delivered += value.length;
				if (from < value.length)
					deliver(value.subarray(from));
			}
		} catch {
			this.failed = true;
		}
	}

	async feed(bytes) {
		try {
			await this.#writer.write(bytes);
		} catch {
			this.failed = true;
		}
	}

	// Returns whether the member is complete and ends with the bytes that were fed.
	async finish() {
		try {
			// An error discards what has not been read yet.
			await yieldToTasks();
			await this.#writer.close();
		} catch {
			this.failed = true;
		}
		await this.#reading;
		return !this.failed;
	}
}

// Decompresses a gzip file that arrives in pieces. Browsers accept only one member, so a file of several ones is
// divided: a member ends where the header of the next one is, if it is complete up to there.
class Inflater {
	#deliver;
	#pieces = [];
	#member;
	fault = null;

	constructor(deliver) {
		this.#deliver = deliver;
		this.#member = new GzipMember(deliver, 0);
	}

	async feed(bytes) {
		this.#pieces.push(bytes);
		// Small pieces, since a browser does not deliver the bytes of a piece with an error.
		for (let at = 0; at < bytes.length && !this.#member.failed; at += 65536)
			await this.#member.feed(bytes.subarray(at, at + 65536));
	}

	async finish() {
		if (await this.#member.finish())
			return;
		let bytes = concatenate(this.#pieces);
		let delivered = this.#member.delivered;
		while (bytes.length > 0) {
			const end = await this.#divide(bytes, delivered);
			if (end === 0) {
				this.fault = 'the compressed log is truncated or damaged';
				return;
			}
			bytes = bytes.subarray(end);
			delivered = 0;
		}
	}

	// Delivers the rest of the first member. Returns the offset after it, 0 if it is not complete.
	async #divide(bytes, delivered) {
		let skip = delivered;
		for (let at = bytes.indexOf(0x1f, 18); at >= 0; at = bytes.indexOf(0x1f, at + 1)) {
			if (bytes[at + 1] !== 0x8b || bytes[at + 2] !== 8)
				continue;
			const member = new GzipMember(this.#deliver, skip);
			await member.feed(bytes.subarray(0, at));
			if (await member.finish())
				return at;
			skip = Math.max(skip, member.delivered);
		}
		const last = new GzipMember(this.#deliver, skip);
		await last.feed(bytes);
		return await last.finish() ? bytes.length : 0;
	}
}

/** A log: its bytes, which arrive in pieces, and the views of it. Made by Mprof.open() and Mprof.createLog(). */
export class Log {
	#module;
	#number;
	#pieces = [];
	#starts = [];
	#inflater = null;
	#first = null; // Bytes before it is known whether the log is compressed.
	#random = null;
	#views = new Set();
	#failure = null;

	constructor(module, number, random) {
		this.#module = module;
		this.#number = number;
		this.#random = random ?? null;
		this.byteLength = random?.size ?? 0;
		this.fedBytes = 0;
		this.compressed = false;
		this.finished = random !== undefined;
		this.gzipFault = null;
	}

	#append(bytes) {
		if (bytes.length === 0)
			return;
		this.#pieces.push(bytes);
		this.#starts.push(this.byteLength);
		this.byteLength += bytes.length;
	}

	async feed(data) {
		if (this.finished)
			throw new MprofError('state', 'Log.feed() called after Log.finish()');
		let bytes = toBytes(data);
		this.fedBytes += bytes.length;
		if (this.#inflater === null && this.byteLength === 0) {
			if (this.#first !== null)
				bytes = concatenate([this.#first, bytes]);
			this.#first = null;
			if (bytes.length < 2) {
				this.#first = bytes;
				return;
			}
			if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
				this.compressed = true;
				this.#inflater = new Inflater((part) => this.#append(part));
			}
		}
		if (this.#inflater !== null)
			await this.#inflater.feed(bytes);
		else
			this.#append(bytes);
	}

	async finish() {
		if (this.finished)
			return;
		if (this.#first !== null)
			this.#append(this.#first);
		if (this.#inflater !== null) {
			await this.#inflater.finish();
			this.gzipFault = this.#inflater.fault;
			this.#inflater = null;
		}
		this.finished = true;
		for (const view of this.#views)
			view.finishSource();
	}

	// For the module: copies bytes at a position, returns their number, -1 if it failed.
	copyBytes(position, target) {
		if (this.#random !== null) {
			try {
				return this.#random.read(position, target);
			} catch (error) {
				this.#failure = error;
				return -1;
			}
		}
		let low = 0;
		let high = this.#starts.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.#starts[middle] <= position)
				low = middle + 1;
			else
				high = middle;
		}
		let copied = 0;
		for (let i = low - 1; i >= 0 && i < this.#pieces.length && copied < target.length; i++) {
			const from = position + copied - this.#starts[i];
			const part = this.#pieces[i].subarray(from, from + target.length - copied);
			target.set(part, copied);
			copied += part.length;
		}
		return copied;
	}

	// For views: the exception of a function of the caller, once.
	takeFailure() {
		const failure = this.#failure;
		this.#failure = null;
		return failure;
	}

	addView(view) {
		this.#views.add(view);
		return view;
	}

	removeView(view) {
		this.#views.delete(view);
	}

	get number() {
		return this.#number;
	}

	profile(options = {}) {
		return this.addView(new Profile(this.#module, this, options));
	}

	events(options = {}) {
		return this.addView(new EventCursor(this.#module, this, options));
	}

	heapGraph(options = {}) {
		return this.addView(new HeapGraph(this.#module, this, options));
	}

	close() {
		for (const view of this.#views)
			view.close();
		this.#pieces = [];
		this.#starts = [];
		this.#module.logs.delete(this.#number);
	}
}

// What all views have: a reader, names, tables.
class View {
	#log;
	module;
	pointer;
	faults = [];
	status = 'ok';
	progress = null;

	constructor(module, log) {
		this.module = module;
		this.#log = log;
		this.pointer = module.exports.mprof_js_view_create(log?.number ?? 0);
		if (this.pointer === 0)
			throw new MprofError('memory', 'out of memory');
		module.views.set(this.pointer, this);
	}

	// Opens the reader. An error that no later call can continue after is thrown.
	open(wanted) {
		const status = this.module.exports.mprof_js_view_open(this.pointer, this.#log.finished ? 0 : 1, wanted);
		const failure = this.#log.takeFailure();
		if (failure !== null || status === statusArgument || status === statusMemory) {
			this.close();
			throw failure ?? new MprofError(statusNames[status], this.module.statusText(status));
		}
		this.openStatus = status;
	}

	check(status) {
		if (status === statusOk)
			return;
		const failure = this.#log?.takeFailure() ?? null;
		if (failure !== null)
			throw failure;
		const name = statusNames[status] ?? String(status);
		throw new MprofError(name, this.module.statusText(status));
	}

	// Throws what is not a statement about the log.
	checkLog(status) {
		const name = statusNames[status] ?? String(status);
		const failure = this.#log?.takeFailure() ?? null;
		if (failure !== null)
			throw failure;
		if (thrownStatuses.has(name)) {
			const fault = this.error();
			throw new MprofError(name, fault.what || this.module.statusText(status), fault);
		}
		return name;
	}

	get log() {
		return this.#log;
	}

	finishSource() {
		if (this.pointer !== 0)
			this.module.exports.mprof_js_view_finish(this.pointer);
	}

	close() {
		if (this.pointer === 0)
			return;
		this.module.views.delete(this.pointer);
		this.#log?.removeView(this);
		this.module.exports.mprof_js_view_destroy(this.pointer);
		this.pointer = 0;
	}

	rowCount(name, which = 0) {
		return this.module.exports.mprof_js_table_get_row_count(this.live(), this.module.table(name).number, which);
	}

	live() {
		if (this.pointer === 0)
			throw new MprofError('state', 'this view was closed');
		return this.pointer;
	}

	table(name, { which = 0, first = 0, count = Infinity, exact = false } = {}) {
		const { number, columns } = this.module.table(name);
		const total = Math.max(0, Math.min(count, this.rowCount(name, which) - first));
		const result = { length: 0, rounded: false };
		const arrays = exact ? exactArrays : columnArrays;
		for (const column of columns)
			result[column.name] = new arrays[column.type](total * column.length);
		let done = 0;
		while (done < total) {
			const rows = Math.min(rowsAtOnce, total - done);
			const filled = this.#fill(number, columns, which, first + done, rows, exact, result, done);
			done += filled;
			if (filled < rows)
				break;
		}
		result.length = done;
		for (const column of columns) {
			if (done < total)
				result[column.name] = result[column.name].subarray(0, done * column.length);
			if (column.type === columnText)
				result[column.name] = this.module.decodeTexts(result[column.name]);
		}
		return result;
	}

	// Copies rows to the arrays of a table from row at on.
	#fill(number, columns, which, first, rows, exact, result, at) {
		const { exports } = this.module;
		const arrays = exact ? exactArrays : columnArrays;
		const sizes = columns.map((column) => (arrays[column.type].BYTES_PER_ELEMENT * column.length * rows + 7) & ~7);
		const out = this.module.reserve(sizes.reduce((sum, size) => sum + size, 0));
		const filled = exports.mprof_js_table_fill(this.pointer, number, which, first, rows, out, exact ? 1 : 0);
		if (exports.mprof_js_table_get_rounded() > 0)
			result.rounded = true;
		let start = out;
		columns.forEach((column, i) => {
			const part = new arrays[column.type](exports.memory.buffer, start, filled * column.length);
			result[column.name].set(part, at * column.length);
			start += sizes[i];
		});
		return filled;
	}

	row(name, { which = 0, exact = false } = {}) {
		const rows = this.table(name, { which, exact, count: 1 });
		if (rows.length === 0)
			return null;
		const { columns } = this.module.table(name);
		return Object.fromEntries(columns.map((column) =>
			[column.name, column.length > 1 ? rows[column.name] : rows[column.name][0]]));
	}

	session() {
		const session = this.row('session');
		session.dialect_name = this.module.dialectName(session.dialect);
		session.compressed = this.#log.compressed;
		return session;
	}

	error() {
		return this.module.describeFault(this.row('error'));
	}

	methodName(id) {
		return this.module.getName(this.live(), frameKinds.method, id);
	}

	readableMethodName(id) {
		return this.module.getName(this.live(), nameKinds.readable, id);
	}

	className(id) {
		return this.module.getName(this.live(), nameKinds.class, id);
	}

	frameName(kind, id) {
		return this.module.getName(this.live(), kind, id);
	}

	method(id) {
		return this.row('method', { which: id });
	}

	class(id) {
		return this.row('class', { which: id });
	}

	definition(kind, id) {
		return this.row(kind, { which: id });
	}

	get methodCount() {
		return this.module.exports.mprof_js_get_definition_count(this.live(), frameKinds.method);
	}

	get classCount() {
		return this.module.exports.mprof_js_get_definition_count(this.live(), nameKinds.class);
	}

	definitionCount(recordKind) {
		return this.module.exports.mprof_js_get_definition_count(this.live(), 32 + recordKind);
	}

	stack(id) {
		const { exports } = this.module;
		return this.module.getFrames((frames, capacity) =>
			exports.mprof_js_get_stack(this.live(), id, frames, capacity));
	}

	fieldName(classId, offset) {
		const index = this.module.reserve(8);
		const text = this.module.exports.mprof_js_get_field(this.live(), classId, BigInt(offset), index);
		if (text === 0)
			return null;
		const name = this.module.decodeText(text);
		const element = new BigUint64Array(this.module.exports.memory.buffer, index, 1)[0];
		return name.startsWith('[]') ? `[${element}]${name.slice(2)}` : name;
	}

	timeOf(counter) {
		return this.module.exports.mprof_js_view_get_time(this.live(), BigInt(counter));
	}

	counterAt(nanoseconds) {
		return BigInt.asUintN(64, this.module.exports.mprof_js_view_get_counter(this.live(), nanoseconds));
	}

	// Runs a function of the module that reads the log, for about so many milliseconds.
	run(read, { milliseconds = Infinity, onProgress = null } = {}) {
		const end = performance.now() + milliseconds;
		this.progress = (doneBytes) => {
			onProgress?.(doneBytes, this.#log.finished ? this.#log.byteLength : 0);
			return performance.now() >= end ? 1 : 0;
		};
		try {
			this.status = this.checkLog(read(this.live()));
		} finally {
			this.progress = null;
		}
		return this.status;
	}

	// The same up to the end, and lets other tasks run meanwhile.
	async runAll(read, { onProgress = null, signal = null } = {}) {
		for (;;) {
			signal?.throwIfAborted();
			this.run(read, { milliseconds: 50, onProgress });
			if (this.status !== 'interrupted')
				return this.status;
			await yieldToTasks();
		}
	}
}

const profileFlags = {
	withoutCallTree: 1, withCompilations: 2, withCallSites: 4, withMonitorObjects: 8, withDurations: 16,
	withLocations: 32, withAges: 64, rawCounters: 128,
};

/** The analysis of a log. Made by Log.profile(). */
export class Profile extends View {
	constructor(module, log, options) {
		super(module, log);
		this.open(0n);
		const threads = options.threads ?? null;
		const list = module.reserve(8 * (threads?.length ?? 0) + 8);
		if (threads !== null) {
			new BigUint64Array(module.exports.memory.buffer, list, threads.length)
				.set(Array.from(threads, (id) => BigInt(id)));
		}
		let flags = 0;
		for (const [name, bit] of Object.entries(profileFlags))
			flags |= options[name] ? bit : 0;
		const status = module.exports.mprof_js_profile_create(this.pointer, flags, BigInt(options.maxMemory ?? 0),
			options.maxStackDepth ?? 0, options.slowCalls ?? 0, options.timelineSlices ?? 0,
			BigInt(options.windowStart ?? 0), BigInt(options.windowEnd ?? 0), BigInt(options.aliveAt ?? 0),
			threads !== null ? list : 0, threads?.length ?? 0);
		if (status !== statusOk) {
			this.close();
			this.check(status);
		}
	}

	read(options) {
		return this.run(this.module.exports.mprof_js_profile_read, options);
	}

	readAll(options) {
		return this.runAll(this.module.exports.mprof_js_profile_read, options);
	}

	totals(options) {
		return this.row('totals', options);
	}

	percentile(method, percent) {
		const duration = this.module.exports.mprof_js_profile_get_percentile(this.pointer, method, percent);
		return duration < 0 ? null : duration;
	}

	ageSiteStack(index) {
		const { exports } = this.module;
		return this.module.getFrames((frames, capacity) =>
			exports.mprof_js_get_age_site_stack(this.pointer, index, frames, capacity));
	}

	frameTree(options = {}) {
		return this.log.addView(new FrameTree(this.module, this, options));
	}
}

/** A tree of frames. Made by Profile.frameTree(). */
export class FrameTree extends View {
	constructor(module, profile, { source = 'calls', inverted = false, maxDepth = 0, hasFocus = false, choose = null }) {
		super(module, profile.log);
		let failure = null;
		module.choose = choose === null ? null : (kind, id) => {
			try {
				return choose(kind, id) >>> 0;
			} catch (error) {
				failure ??= error;
				return 0;
			}
		};
		const status = module.exports.mprof_js_tree_create(this.pointer, profile.pointer, frameSources[source] ?? 0,
			inverted ? 1 : 0, maxDepth, hasFocus ? 1 : 0, choose !== null ? 1 : 0);
		module.choose = null;
		if (status !== statusOk || failure !== null) {
			this.close();
			if (failure !== null)
				throw failure;
			this.check(status);
		}
	}

	finishSource() {}
}

const eventColumns = [
	['kind', Uint8Array], ['flags', Uint8Array], ['id', Uint32Array], ['counter', BigUint64Array],
	['value', BigUint64Array], ['time_ns', Float64Array], ['object', BigUint64Array], ['size', BigUint64Array],
	['started', BigUint64Array], ['samples', BigUint64Array], ['caller', Uint32Array], ['stack', Uint32Array],
	['handle_type', Uint32Array], ['reference_end', Uint32Array],
];
const basicEventColumns = 6;

/** Visits the blocks and events of a log. Made by Log.events(). */
export class EventCursor extends View {
	#isAtEnd = false;
	#isBlockRead = false; // The last events of the block were returned, or those before its damage.

	constructor(module, log, { kinds = null } = {}) {
		super(module, log);
		this.open((kinds ?? []).reduce((bits, kind) => bits | 1n << BigInt(kind), 0n));
	}

	// Notes the fault of a call; after one that is not of a single block, the log cannot be read on.
	#note(status) {
		this.status = this.checkLog(status);
		if (status <= statusAgain || status === statusInterrupted)
			return;
		const fault = this.error();
		this.faults.push(fault);
		this.#isAtEnd = fault.severity !== severityBlock;
	}

	nextBlock() {
		this.#isBlockRead = false;
		while (!this.#isAtEnd) {
			const status = this.module.exports.mprof_js_next_block(this.live());
			this.#note(status);
			// The events of a damaged block that precede the damage can be fetched.
			const block = this.row('block');
			if (status === statusOk || (block.loaded === 1 && block.kind === eventsBlock))
				return block;
			if (status <= statusAgain || status === statusInterrupted)
				return null;
		}
		return null;
	}

	nextEvents(capacity = rowsAtOnce) {
		const { exports } = this.module;
		if (this.#isBlockRead)
			return null;
		const result = this.module.reserve(12);
		const status = exports.mprof_js_next_events(this.pointer, capacity, result);
		this.#isBlockRead = status !== statusOk;
		// The block has no events.
		if (status === statusState)
			return null;
		const [length, references, has] = new Uint32Array(exports.memory.buffer, result, 3).slice();
		// This uses the memory of the result for the fault.
		if (status > statusEnd)
			this.#note(status);
		const { buffer } = exports.memory;
		if (length === 0)
			return null;
		const batch = { length, hasDetails: (has & 1) !== 0 };
		eventColumns.slice(0, has & 1 ? eventColumns.length : basicEventColumns).forEach(([name, array], i) => {
			batch[name] = new array(buffer, exports.mprof_js_get_event_column(i), length).slice();
		});
		if (has & 1)
			batch.references = new BigUint64Array(buffer, exports.mprof_js_get_event_column(14), references).slice();
		if (has & 2)
			batch.offsets = new BigUint64Array(buffer, exports.mprof_js_get_event_column(15), references).slice();
		return batch;
	}

	countEvents() {
		return this.module.exports.mprof_js_count_events(this.pointer);
	}

	buildIndex(options) {
		return this.run(this.module.exports.mprof_js_build_index, options);
	}

	seek(offset) {
		this.#isAtEnd = false;
		this.check(this.module.exports.mprof_js_seek(this.pointer, offset));
	}

	seekTime(nanoseconds, thread = 0xffffffffffffffffn) {
		this.#isAtEnd = false;
		this.check(this.module.exports.mprof_js_seek_time(this.pointer, nanoseconds, BigInt(thread)));
	}

	openFrames(thread, counter) {
		return this.module.getFrames((frames, capacity) => {
			const count = this.module.exports.mprof_js_get_open_frames(this.pointer, BigInt(thread), BigInt(counter),
				frames, capacity);
			if (count < 0)
				this.check(-count);
			return count;
		});
	}
}

// Blocks that a heap graph needs: INTRO, END, MAPPING, LOADED, HEAP_DATA, DIRECTIVES, ROOTS, FIELDS.
const heapBlocks = [1, 2, 3, 4, 8, 10, 40, 42].reduce((bits, kind) => bits | 1n << BigInt(kind), 0n);

/** The objects of one heap snapshot. Made by Log.heapGraph(). */
export class HeapGraph extends View {
	constructor(module, log, { snapshot = 0, listOnly = false, maxMemory = 0 } = {}) {
		super(module, log);
		this.open(heapBlocks);
		const status = module.exports.mprof_js_graph_create(this.pointer, snapshot, listOnly ? 1 : 0, BigInt(maxMemory));
		if (status !== statusOk) {
			this.close();
			this.check(status);
		}
	}

	read(options) {
		return this.run(this.module.exports.mprof_js_graph_read, options);
	}

	readAll(options) {
		return this.runAll(this.module.exports.mprof_js_graph_read, options);
	}

	totals(options) {
		return this.row('graph', options);
	}

	buildDominators() {
		this.check(this.module.exports.mprof_js_graph_build_dominators(this.pointer));
	}

	buildPaths() {
		this.check(this.module.exports.mprof_js_graph_build_paths(this.pointer));
	}

	buildReferrers() {
		this.check(this.module.exports.mprof_js_graph_build_referrers(this.pointer));
	}

	objectAt(address) {
		const object = this.module.exports.mprof_js_graph_lookup(this.pointer, BigInt(address)) >>> 0;
		return object === noObject ? null : object;
	}

	object(number) {
		const rows = this.table('heap_objects', { first: number, count: 1 });
		const { columns } = this.module.table('heap_objects');
		return rows.length === 0 ? null : Object.fromEntries(columns.map(({ name }) => [name, rows[name][0]]));
	}

	dominated(dominator = noObject, capacity = 1000) {
		const list = this.module.reserve(4 * capacity + 4);
		const count = this.module.exports.mprof_js_graph_get_dominated(this.pointer, dominator, list, capacity);
		if (count < 0)
			this.check(-count);
		return {
			count,
			objects: new Uint32Array(this.module.exports.memory.buffer, list, Math.min(count, capacity)).slice(),
		};
	}

	retained(objects) {
		const list = this.module.reserve(4 * objects.length + 4);
		new Uint32Array(this.module.exports.memory.buffer, list, objects.length).set(objects);
		const bytes = this.module.exports.mprof_js_graph_get_retained(this.pointer, list, objects.length);
		if (bytes < 0)
			this.check(-bytes);
		return bytes;
	}

	references(object, options) {
		return this.#references(0, object, options);
	}

	referrers(object, options) {
		return this.#references(1, object, options);
	}

	#references(isReferrer, object, { first = 0, count = 1000 } = {}) {
		const list = this.module.reserve(16 * count + 16);
		const found = this.module.exports.mprof_js_graph_get_references(this.pointer, isReferrer, object, first, list,
			count);
		if (found < 0)
			this.check(-found);
		const view = new DataView(this.module.exports.memory.buffer, list, 16 * found);
		return Array.from({ length: found }, (_, i) => ({
			object: nullIfNone(view.getUint32(16 * i, true)),
			offset: view.getUint32(16 * i + 4, true) === 1 ? view.getBigUint64(16 * i + 8, true) : null,
		}));
	}

	parent(object) {
		const reference = this.module.reserve(16);
		this.check(this.module.exports.mprof_js_graph_get_parent(this.pointer, object, reference));
		const view = new DataView(this.module.exports.memory.buffer, reference, 16);
		return {
			object: nullIfNone(view.getUint32(0, true)),
			offset: view.getUint32(4, true) === 1 ? view.getBigUint64(8, true) : null,
		};
	}

	path(object) {
		let capacity = 1024;
		for (;;) {
			const root = this.module.reserve(16 + 24 * capacity);
			const steps = root + 16;
			const count = this.module.exports.mprof_js_graph_get_path(this.pointer, object, root, steps, capacity);
			if (count < 0)
				this.check(-count);
			if (count === 0)
				return null;
			if (count > capacity) {
				capacity = count;
				continue;
			}
			const view = new DataView(this.module.exports.memory.buffer, root, 16 + 24 * count);
			return {
				root: { object: view.getUint32(0, true), kind: view.getUint32(4, true), area: view.getUint32(8, true) },
				steps: Array.from({ length: count }, (_, i) => ({
					object: view.getUint32(16 + 24 * i, true),
					isDominator: view.getUint32(20 + 24 * i, true) === 1,
					offset: view.getUint32(24 + 24 * i, true) === 1 ? view.getBigUint64(32 + 24 * i, true) : null,
				})),
			};
		}
	}
}

function nullIfNone(object) {
	return object === noObject ? null : object;
}

/** The module. Made by loadMprof(). */
export class Mprof {
	exports;
	logs = new Map();
	views = new Map();
	choose = null;
	#tables = new Map();
	#decoder = new TextDecoder();
	#room = 0; // Memory for what functions take and return.
	#roomSize = 0;
	#lastLog = 0;

	async instantiate(wasm) {
		const { webcrypto } = globalThis.crypto ? { webcrypto: globalThis.crypto } : await import('node:crypto');
		const imports = {
			mprof: {
				read: (source, position, bytes, length) =>
					this.logs.get(source).copyBytes(position, new Uint8Array(this.exports.memory.buffer, bytes, length)),
				progress: (view, doneBytes) => this.views.get(view)?.progress?.(doneBytes) ?? 0,
				fault: (view) => {
					const from = this.views.get(view);
					from.faults.push(this.describeFault(from.row('fault')));
				},
				choose: (kind, id) => this.choose(kind, id),
			},
			// The C library of WASI: random numbers are the only thing that the module needs of a system.
			wasi_snapshot_preview1: {
				random_get: (bytes, length) => {
					webcrypto.getRandomValues(new Uint8Array(this.exports.memory.buffer, bytes, length));
					return 0;
				},
				clock_time_get: () => 52,
				fd_close: () => 52,
				fd_seek: () => 52,
				fd_write: () => 52,
			},
		};
		const result = await (wasm instanceof WebAssembly.Module
			? WebAssembly.instantiate(wasm, imports)
			: WebAssembly.instantiate(toBytes(wasm), imports));
		this.exports = (result.instance ?? result).exports;
		this.exports._initialize();
		this.version = this.decodeText(this.exports.mprof_js_get_version());
		for (let i = 0; i < this.exports.mprof_js_table_get_count(); i++)
			this.#addTable(i);
		return this;
	}

	#addTable(number) {
		const { exports } = this;
		const columns = Array.from({ length: exports.mprof_js_table_get_column_count(number) }, (_, i) => ({
			name: this.decodeText(exports.mprof_js_table_get_column_name(number, i)),
			type: exports.mprof_js_table_get_column_type(number, i),
			length: exports.mprof_js_table_get_column_length(number, i),
		}));
		this.#tables.set(this.decodeText(exports.mprof_js_table_get_name(number)), { number, columns });
	}

	get tableNames() {
		return [...this.#tables.keys()];
	}

	table(name) {
		const found = this.#tables.get(name);
		if (found === undefined)
			throw new MprofError('argument', `there is no table ${name}`);
		return found;
	}

	createLog() {
		const log = new Log(this, ++this.#lastLog);
		this.logs.set(log.number, log);
		return log;
	}

	async open(data, { onProgress = null } = {}) {
		if (typeof data?.read === 'function' && typeof data.size === 'number') {
			const log = new Log(this, ++this.#lastLog, data);
			this.logs.set(log.number, log);
			return log;
		}
		const log = this.createLog();
		if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) {
			await log.feed(data);
		} else {
			const total = data.size ?? 0;
			for await (const piece of typeof data.stream === 'function' ? readStream(data.stream()) : readStream(data)) {
				await log.feed(piece);
				onProgress?.(log.fedBytes, total);
			}
		}
		await log.finish();
		return log;
	}

	// Memory of at least so many bytes, valid until the next call.
	reserve(size) {
		if (size > this.#roomSize) {
			this.exports.mprof_js_free(this.#room);
			this.#room = this.exports.mprof_js_allocate(size);
			this.#roomSize = this.#room === 0 ? 0 : size;
			if (this.#room === 0)
				throw new MprofError('memory', 'out of memory');
		}
		return this.#room;
	}

	decodeText(pointer) {
		if (pointer === 0)
			return null;
		const bytes = new Uint8Array(this.exports.memory.buffer);
		return this.#decoder.decode(bytes.subarray(pointer, bytes.indexOf(0, pointer)));
	}

	decodeTexts(pointers) {
		return Array.from(pointers, (pointer) => this.decodeText(pointer));
	}

	getName(view, what, id) {
		return this.decodeText(this.exports.mprof_js_get_name(view, what, id));
	}

	getFrames(get) {
		let capacity = 256;
		for (;;) {
			const frames = this.reserve(12 * capacity);
			const count = get(frames, capacity);
			if (count > capacity) {
				capacity = count;
				continue;
			}
			const words = new Uint32Array(this.exports.memory.buffer, frames, 3 * count);
			return Array.from({ length: count }, (_, i) =>
				({ id: words[3 * i], isNative: words[3 * i + 1] === 1, isCompiling: words[3 * i + 2] === 1 }));
		}
	}

	describeFault(fault) {
		return { ...fault, status: statusNames[fault.status] ?? String(fault.status) };
	}

	statusText(status) {
		return this.getName(0, nameKinds.status, status);
	}

	eventName(kind) {
		return this.getName(0, nameKinds.event, kind);
	}

	eventSubject(kind) {
		return [null, 'method', 'class'][this.exports.mprof_js_get_event_subject(kind)] ?? null;
	}

	blockName(kind) {
		return this.getName(0, nameKinds.block, kind);
	}

	dialectName(dialect) {
		return this.getName(0, nameKinds.dialect, dialect);
	}

	lossName(cause) {
		return this.getName(0, nameKinds.loss, cause);
	}
}

// Not every browser can iterate over a stream.
async function* readStream(stream) {
	if (typeof stream.getReader !== 'function') {
		yield* stream;
		return;
	}
	const reader = stream.getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (done)
			return;
		yield value;
	}
}

/** Loads libmprof.wasm from its bytes or a compiled module. */
export function loadMprof(wasm) {
	return new Mprof().instantiate(wasm);
}
