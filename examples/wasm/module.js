// SPDX-License-Identifier: MIT
// The WebAssembly module: its memory, its tables, and what it calls.
import { readStream, toBytes } from './bytes.js';
import { Log } from './log.js';
import { measureNames, nameKinds, unitNames } from './names.js';
import { MprofError, statusNames } from './statuses.js';

/** The module. Made by loadMprof(). */
export class Mprof {
	exports;
	logs = new Map();
	views = new Map();
	choose = null;
	name = null;
	#tables = new Map();
	#decoder = new TextDecoder();
	#encoder = new TextEncoder();
	#room = 0; // Memory for what functions take and return.
	#roomSize = 0;
	#lastLog = 0;
	#readable = new Map();

	async instantiate(wasm) {
		const crypto = globalThis.crypto ?? (await import('node:crypto')).webcrypto;
		const bytesAt = (start, length) => new Uint8Array(this.exports.memory.buffer, start, length);
		const imports = {
			mprof: {
				read: (source, position, bytes, length) =>
					this.logs.get(source).copyBytes(position, bytesAt(bytes, length)),
				progress: (view, doneBytes) => this.views.get(view)?.progress?.(doneBytes) ?? 0,
				fault: (view) => {
					const from = this.views.get(view);
					from.faults.push(this.describeFault(from.row('fault')));
				},
				choose: (kind, id) => this.choose(kind, id),
				name: (view, kind, id, text, size) => {
					const name = this.name(kind, id);
					const bytes = bytesAt(text, size);
					const { written } = this.#encoder.encodeInto(name, bytes.subarray(0, size - 1));
					bytes[written] = 0;
				},
			},
			// The C library of WASI: random numbers are the only thing that the module needs of a system.
			wasi_snapshot_preview1: {
				random_get: (bytes, length) => {
					crypto.getRandomValues(bytesAt(bytes, length));
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
			unit: unitNames[exports.mprof_js_table_get_column_unit(number, i)] ?? null,
			measure: measureNames[exports.mprof_js_table_get_column_measure(number, i)] ?? null,
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

	columns(name) {
		return this.table(name).columns.map(({ name: column, unit, measure }) =>
			({ name: column, unit, measure }));
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
			const stream = typeof data.stream === 'function' ? data.stream() : data;
			for await (const piece of readStream(stream)) {
				await log.feed(piece);
				onProgress?.(log.fedBytes, total);
			}
		}
		await log.finish();
		return log;
	}

	// A text with a NUL in memory of the module, valid until the next call that reserves memory.
	encodeText(text) {
		const bytes = this.#encoder.encode(text);
		const start = this.reserve(bytes.length + 1);
		const memory = new Uint8Array(this.exports.memory.buffer, start, bytes.length + 1);
		memory.set(bytes);
		memory[bytes.length] = 0;
		return start;
	}

	// Memory of at least that many bytes, valid until the next call.
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
			const frames = this.reserve(24 * capacity);
			const count = get(frames, capacity);
			if (count > capacity) {
				capacity = count;
				continue;
			}
			const words = new Uint32Array(this.exports.memory.buffer, frames, 6 * count);
			return Array.from({ length: count }, (_, i) => {
				const [id, native, compiling, inlined, line] = words.subarray(6 * i, 6 * i + 6);
				return { id, isNative: native === 1, isCompiling: compiling === 1,
					isInlined: inlined === 1, line };
			});
		}
	}

	/** Names to show instead of symbols of the linker, for all logs: a map, or a list of pairs. */
	useReadableNames(names) {
		this.#readable = new Map(names);
	}

	// A name with what follows its symbol: "symbol+0x12" and "symbol (compiling)" keep their ends.
	toReadable(name) {
		if (name === null || this.#readable.size === 0)
			return name;
		const end = name.search(/[+ ]/);
		const found = this.#readable.get(end < 0 ? name : name.slice(0, end));
		return found === undefined ? name : found + (end < 0 ? '' : name.slice(end));
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

	formName(form) {
		return this.getName(0, nameKinds.form, form);
	}

	handleName(type) {
		return this.getName(0, nameKinds.handle, type);
	}
}

/** Loads libmprof.wasm from its bytes or a compiled module. */
export function loadMprof(wasm) {
	return new Mprof().instantiate(wasm);
}
