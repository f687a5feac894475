// SPDX-License-Identifier: MIT
// The blocks and events of a log.
import { statusAgain, statusEnd, statusInterrupted, statusOk, statusState } from './statuses.js';
import { rowsAtOnce, View } from './view.js';

const severityBlock = 1;
const eventsBlock = 6;

const eventColumns = [
	['kind', Uint8Array], ['flags', Uint16Array], ['id', Uint32Array], ['counter', BigUint64Array],
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
		const copyColumn = (column, array, count) =>
			new array(buffer, exports.mprof_js_get_event_column(column), count).slice();
		eventColumns.slice(0, has & 1 ? eventColumns.length : basicEventColumns).forEach(([name, array], i) => {
			batch[name] = copyColumn(i, array, length);
		});
		if (has & 1)
			batch.references = copyColumn(14, BigUint64Array, references);
		if (has & 2)
			batch.offsets = copyColumn(15, BigUint64Array, references);
		return batch;
	}

	countEvents() {
		return this.module.exports.mprof_js_count_events(this.pointer);
	}

	metricValues() {
		const { exports } = this.module;
		const found = { id: [], value: [], counter: [] };
		const capacity = 256;
		let status = statusOk;
		while (status === statusOk) {
			const values = this.module.reserve(20 * capacity + 8);
			const counters = values + 8 * capacity;
			const ids = counters + 8 * capacity;
			const count = ids + 4 * capacity;
			status = exports.mprof_js_next_metric_values(this.live(), ids, values, counters, capacity,
				count);
			const { buffer } = exports.memory;
			const [length] = new Uint32Array(buffer, count, 1);
			found.id.push(...new Uint32Array(buffer, ids, length));
			found.value.push(...new Float64Array(buffer, values, length));
			found.counter.push(...new BigUint64Array(buffer, counters, length));
		}
		// The block is not one of metrics.
		if (status !== statusState && status > statusEnd)
			this.#note(status);
		const { length } = found.id;
		return { length, id: Uint32Array.from(found.id), value: Float64Array.from(found.value),
			counter: BigUint64Array.from(found.counter) };
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
		const { exports } = this.module;
		return this.module.getFrames((frames, capacity) => {
			const count = exports.mprof_js_get_open_frames(this.pointer, BigInt(thread), BigInt(counter),
				frames, capacity);
			if (count < 0)
				this.check(-count);
			return count;
		});
	}
}
