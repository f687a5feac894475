// SPDX-License-Identifier: MIT
// The events of the log as they were recorded, one block after the other. Runs in the worker.
import { LogPart } from './log_part.js';

// Blocks with the events of a thread: MPROF_BLOCK_EVENTS.
const threadEvents = 6;

// Events that the log describes, whose IDs are those of their types: MPROF_EVENT_TYPED.
const typedEvent = 52;

// Events of a block that are shown.
const mostEvents = 100000;

export class EventQuestions {
	#mprof;
	#part;
	#cursor = null;
	#index;
	#whole;

	/** whole: the profile of the log, for the names of types. */
	constructor(mprof, log, whole) {
		this.#mprof = mprof;
		this.#whole = whole;
		this.#part = new LogPart(mprof, log);
	}

	async #open() {
		const log = await this.#part.get(() => { this.#cursor = null; });
		if (this.#cursor === null) {
			const cursor = log.events();
			cursor.buildIndex();
			this.#index = cursor.table('index');
			this.#cursor = cursor;
		}
	}

	// The blocks that may have events of the selection, in the order of the log.
	#blocks(threads, from, to) {
		const { kind, thread, start_counter: start, end_counter: end } = this.#index;
		return Array.from(kind.keys()).filter((i) => kind[i] === threadEvents &&
			(threads === undefined || threads.includes(thread[i])) &&
			(from === undefined || end[i] >= from) && (to === undefined || start[i] < to));
	}

	#nameOf(kind, id) {
		const subject = this.#mprof.eventSubject(kind);
		if (subject === null || id === 0)
			return null;
		const name = subject === 'method' ? this.#cursor.readableMethodName(id) : this.#cursor.className(id);
		return name ?? `${subject} ${id}`;
	}

	// What events of types are, by their IDs.
	#typeNames() {
		const { type, name, form } = this.#whole.table('event_types');
		return new Map(Array.from(type, (key, i) => [key, `${name[i] ?? 'unknown'} (${this.#mprof.formName(form[i]) ?? 'event'})`]));
	}

	#rows(offset, from, to) {
		const types = this.#typeNames();
		const rows = { number: [], time: [], counter: [], event: [], name: [], value: [], object: [] };
		let number = 0;
		this.#cursor.seek(offset);
		if (this.#cursor.nextBlock() === null)
			return rows;
		for (let batch; (batch = this.#cursor.nextEvents()) !== null;) {
			for (let i = 0; i < batch.length; i++) {
				number++;
				const isChosen = (from === undefined || batch.counter[i] >= from) && (to === undefined || batch.counter[i] < to);
				if (!isChosen || rows.number.length === mostEvents)
					continue;
				const object = batch.object?.[i] ?? 0n;
				rows.number.push(number);
				rows.time.push(batch.time_ns[i]);
				rows.counter.push(batch.counter[i]);
				rows.event.push((batch.kind[i] === typedEvent ? types.get(batch.id[i]) : undefined) ?? this.#mprof.eventName(batch.kind[i]));
				rows.name.push(this.#nameOf(batch.kind[i], batch.id[i]));
				rows.value.push(batch.value[i]);
				rows.object.push(object === 0n ? null : `0x${object.toString(16)}`);
			}
		}
		return rows;
	}

	/**
	 * One block with events, counted from 1 among those of the selection, whose times are counters; of what has arrived of
	 * the log.
	 */
	async ask({ threads, from, to, block }) {
		await this.#open();
		const { isWhole } = this.#part;
		const blocks = this.#blocks(threads, from, to);
		if (blocks.length === 0)
			return { blocks: 0, isWhole };
		const at = Math.min(Math.max(1, block), blocks.length);
		const place = blocks[at - 1];
		const rows = this.#rows(this.#index.offset[place], from, to);
		return { blocks: blocks.length, block: at, offset: this.#index.offset[place], thread: this.#index.thread[place], rows,
			isFull: rows.number.length === mostEvents, isWhole };
	}
}
