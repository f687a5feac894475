// SPDX-License-Identifier: MIT
// What all views of a log have in common: a reader, names, tables.
import { frameKinds, nameKinds } from './names.js';
import { MprofError, statusArgument, statusMemory, statusNames, statusOk, thrownStatuses } from './statuses.js';
import { yieldToTasks } from './tasks.js';

// Types of columns.
const columnText = 4;
const columnArrays = [
	Uint32Array, Float64Array, Float64Array, BigUint64Array, Uint32Array, Float64Array, Uint32Array,
];
const exactArrays = [
	Uint32Array, BigUint64Array, BigInt64Array, BigUint64Array, Uint32Array, Float64Array, Uint32Array,
];

// Rows of a table that are copied at once.
export const rowsAtOnce = 16384;

// What all views have: a reader, names, tables.
export class View {
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
		const { exports } = this.module;
		return exports.mprof_js_table_get_row_count(this.live(), this.module.table(name).number, which);
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
		const sizes = columns.map(({ type, length }) =>
			(arrays[type].BYTES_PER_ELEMENT * length * rows + 7) & ~7);
		const out = this.module.reserve(sizes.reduce((sum, size) => sum + size, 0));
		const filled = exports.mprof_js_table_fill(this.pointer, number, which, first, rows, out,
			exact ? 1 : 0);
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
		return this.module.toReadable(this.module.getName(this.live(), nameKinds.readable, id));
	}

	className(id) {
		return this.module.getName(this.live(), nameKinds.class, id);
	}

	frameName(kind, id) {
		return this.module.toReadable(this.module.getName(this.live(), kind, id));
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

	// Runs a function of the module that reads the log, for about that many milliseconds.
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
