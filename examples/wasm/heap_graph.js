// SPDX-License-Identifier: MIT
// Heap snapshots as graphs.
import { statusOk } from './statuses.js';
import { View } from './view.js';

export const noObject = 0xffffffff;

// Blocks that a heap graph needs: INTRO, END, MAPPING, LOADED, HEAP_DATA, DIRECTIVES, ROOTS, FIELDS.
const heapBlocks = [1, 2, 3, 4, 8, 10, 40, 42].reduce((bits, kind) => bits | 1n << BigInt(kind), 0n);

/** The objects of one heap snapshot. Made by Log.heapGraph(). */
export class HeapGraph extends View {
	constructor(module, log, { snapshot = 0, listOnly = false, maxMemory = 0 } = {}) {
		super(module, log);
		this.open(heapBlocks);
		const status = module.exports.mprof_js_graph_create(this.pointer, snapshot, listOnly ? 1 : 0,
			BigInt(maxMemory));
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
		const { exports } = this.module;
		const list = this.module.reserve(4 * capacity + 4);
		const count = exports.mprof_js_graph_get_dominated(this.pointer, dominator, list, capacity);
		if (count < 0)
			this.check(-count);
		return {
			count,
			objects: new Uint32Array(exports.memory.buffer, list, Math.min(count, capacity)).slice(),
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
		const { exports } = this.module;
		const found = exports.mprof_js_graph_get_references(this.pointer, isReferrer, object, first, list,
			count);
		if (found < 0)
			this.check(-found);
		const view = new DataView(exports.memory.buffer, list, 16 * found);
		return Array.from({ length: found }, (_, i) => ({
			object: nullIfNone(view.getUint32(16 * i, true)),
			offset: readOffset(view, 16 * i + 4, 16 * i + 8),
		}));
	}

	parent(object) {
		const reference = this.module.reserve(16);
		this.check(this.module.exports.mprof_js_graph_get_parent(this.pointer, object, reference));
		const view = new DataView(this.module.exports.memory.buffer, reference, 16);
		return {
			object: nullIfNone(view.getUint32(0, true)),
			offset: readOffset(view, 4, 8),
		};
	}

	path(target) {
		const { exports } = this.module;
		let capacity = 1024;
		for (;;) {
			const root = this.module.reserve(16 + 24 * capacity);
			const steps = root + 16;
			const count = exports.mprof_js_graph_get_path(this.pointer, target, root, steps, capacity);
			if (count < 0)
				this.check(-count);
			if (count === 0)
				return null;
			if (count > capacity) {
				capacity = count;
				continue;
			}
			const view = new DataView(exports.memory.buffer, root, 16 + 24 * count);
			const [object, kind, area] = [0, 4, 8].map((at) => view.getUint32(at, true));
			return {
				root: { object, kind, area },
				steps: Array.from({ length: count }, (_, i) => ({
					object: view.getUint32(16 + 24 * i, true),
					isDominator: view.getUint32(20 + 24 * i, true) === 1,
					offset: readOffset(view, 24 + 24 * i, 32 + 24 * i),
				})),
			};
		}
	}
}

// The offset of a field at one place, if the number at another one is 1.
function readOffset(view, isKnown, at) {
	return view.getUint32(isKnown, true) === 1 ? view.getBigUint64(at, true) : null;
}

function nullIfNone(object) {
	return object === noObject ? null : object;
}
