// SPDX-License-Identifier: MIT
// Reads the calls of threads as spans of time, with the rules of the profile: the sums over the spans are the figures of
// mprof report. Threads without calls have spans of consecutive samples with the same frames. Runs in the worker.
import { SpanList } from './span_list.js';

// Numbers of mprof_block_kind and mprof_event_kind.
const eventBlock = 6;
const sampleBlock = 35;
const eventKinds = { enter: 1, leave: 2, leaveImplicit: 3, leaveException: 4, leaveTail: 5, threadStart: 16, threadEnd: 17,
	resize: 24, sample: 30, resumed: 43, stackSwitch: 47, stackEnd: 48 };

// Allocations, parts of call stacks and of heap snapshots have the counter of the event before.
const kindsWithoutTime = new Set([14, 15, 31, 32, 33, 34, 35, 36]);

// Calls below this depth are counted and left out.
const deepestCall = 2000;

// The limits of doc/format.md, 4.3: frames of a stack, and frames that failed searches visit.
const maxFrames = 2 ** 20;
const maxSearched = 2 ** 28;

// A frame of samples ends after this time, in intervals of samples, if no other sample follows.
const mostIntervals = 4;

// How long to read before other questions are answered, in milliseconds.
const stepTime = 30;

/**
 * Times of counters: the frequency of the counter that the whole log has, while times of events are those of what was
 * read before them. session: that of a profile.
 */
export class SessionClock {
	#startLow;
	#startHigh;
	#nsPerCount;

	constructor({ start_counter: start, end_counter: end, counters_per_second: frequency }) {
		/** The latest counter of the log. */
		this.end = end ?? start;
		this.#startLow = Number(start & 0xffffffffn);
		this.#startHigh = Number(start >> 32n);
		this.#nsPerCount = frequency > 0 ? 1e9 / frequency : 1;
	}

	timeOf(counter) {
		return this.#time(Number(counter & 0xffffffffn), Number(counter >> 32n));
	}

	/** The times of a BigUint64Array of its own buffer. */
	timesOf(counters) {
		const words = new Uint32Array(counters.buffer, counters.byteOffset, 2 * counters.length);
		const times = new Float64Array(counters.length);
		for (let i = 0; i < times.length; i++)
			times[i] = this.#time(words[2 * i], words[2 * i + 1]);
		return times;
	}

	#time(low, high) {
		return ((high - this.#startHigh) * 4294967296 + (low - this.#startLow)) * this.#nsPerCount;
	}
}

/** The calls of one thread. The lists of a row are in the order of the depth. */
class CallRow {
	depths = [];
	samples = { time: [], stack: [] };

	constructor(thread) {
		this.thread = thread;
	}

	list(depth) {
		while (this.depths.length <= depth)
			this.depths.push(new SpanList());
		return this.depths[depth];
	}
}

class CallStack {
	frames = [];
	folded = 0;
	left = 0n;
	thread = null;
}

class ThreadState {
	row = null;
	time = 0;
	counter = 0n;
	hasEnded = false;
	reportedEnd = null;
	own = new CallStack();
	stack = this.own;

	constructor(id) {
		this.id = id;
	}
}

/** cursor: events of a log; clock: a SessionClock; most: the number of spans at which reading stops. */
export class CallReader {
	rows = [];
	folded = 0;
	count = 0;
	names = [];
	methods = [];
	#cursor;
	#clock;
	#most;
	#threads = new Map();
	#stacks = new Map();
	#nameOfMethod = new Map();
	#nameOfFrame = new Map();
	#framesOfStack = new Map();
	#gap = null;
	#searched = 0;

	constructor(cursor, clock, most = Infinity) {
		this.#cursor = cursor;
		this.#clock = clock;
		this.#most = most;
	}

	get isFull() {
		return this.count >= this.#most;
	}

	// The index of a name in names; methods has the IDs of those that are methods, else 0.
	#addName(text, method) {
		this.names.push(text ?? 'unknown');
		this.methods.push(method);
		return this.names.length - 1;
	}

	#methodName(id) {
		let name = this.#nameOfMethod.get(id);
		if (name === undefined) {
			name = this.#addName(null, id);
			this.#nameOfMethod.set(id, name);
		}
		return name;
	}

	#thread(id) {
		let thread = this.#threads.get(id);
		if (thread === undefined) {
			thread = new ThreadState(id);
			this.#threads.set(id, thread);
		}
		return thread;
	}

	// Ends the spans of all frames, which stay on the stack.
	#hide(thread) {
		const { row, stack, time } = thread;
		for (let depth = 0; row !== null && depth < Math.min(stack.frames.length, deepestCall); depth++) {
			const list = row.depths[depth];
			list.end[list.count - 1] = time;
		}
	}

	// Begins spans for all frames of a stack that continues.
	#show(thread) {
		const { row, stack, time } = thread;
		const shown = Math.min(stack.frames.length, deepestCall);
		for (let depth = 0; row !== null && depth < shown; depth++)
			row.list(depth).add(time, time, this.#methodName(stack.frames[depth]));
		this.count += shown;
	}

	#beginRow(thread, counter, time) {
		this.#hide(thread);
		thread.counter = counter;
		thread.time = time;
		thread.row = new CallRow(thread.id);
		this.rows.push(thread.row);
		this.#show(thread);
	}

	// The clock of a thread may go back from one block to the next, but not inside a block.
	#beginBlock(thread, batch) {
		let first = 0;
		while (first < batch.length && (kindsWithoutTime.has(batch.kind[first]) ||
			(batch.kind[first] === eventKinds.resize && batch.id[first] !== 0)))
			first++;
		if (first === batch.length) {
			if (thread.row !== null)
				return;
			first = 0;
		}
		if (thread.row === null || batch.counter[first] < thread.counter)
			this.#beginRow(thread, batch.counter[first], this.#clock.timeOf(batch.counter[first]));
	}

	#leaveTop(thread) {
		const { row, stack } = thread;
		if (stack.folded > 0) {
			stack.folded--;
			return;
		}
		if (stack.frames.length === 0)
			return;
		stack.frames.pop();
		if (stack.frames.length >= deepestCall)
			return;
		const list = row.depths[stack.frames.length];
		list.end[list.count - 1] = thread.time;
	}

	#leave(thread, method) {
		const { stack } = thread;
		// The methods of the innermost frames are not stored: each leave ends one of them.
		if (stack.folded > 0) {
			this.#leaveTop(thread);
			return;
		}
		const found = stack.frames.lastIndexOf(method);
		while (found >= 0 && stack.frames.length > found)
			this.#leaveTop(thread);
		if (found >= 0)
			return;
		this.#searched += stack.frames.length;
		if (this.#searched > maxSearched)
			this.#clear(thread);
	}

	#enter(thread, method) {
		const { row, stack, time } = thread;
		if (stack.frames.length + 1 >= maxFrames) {
			stack.folded++;
			this.folded++;
			return;
		}
		if (stack.frames.length >= deepestCall) {
			stack.frames.push(method);
			this.folded++;
			return;
		}
		row.list(stack.frames.length).add(time, time, this.#methodName(method));
		stack.frames.push(method);
		this.count++;
	}

	#clear(thread) {
		thread.stack.folded = 0;
		while (thread.stack.frames.length > 0)
			this.#leaveTop(thread);
	}

	// The thread is on another stack from now on.
	#setStack(thread, stack, counter) {
		this.#hide(thread);
		thread.stack.left = counter;
		thread.stack.thread = null;
		thread.stack = stack;
	}

	// Without an event of its own: another thread has switched to the stack, or it ends, or the thread starts.
	#returnToOwnStack(thread, counter) {
		if (thread.stack === thread.own)
			return;
		this.#setStack(thread, thread.own, counter);
		this.#show(thread);
	}

	#start(thread) {
		this.#returnToOwnStack(thread, thread.counter);
		this.#clear(thread);
	}

	#switchStack(thread, number) {
		let stack = number === 0n ? thread.own : this.#stacks.get(number);
		if (stack === undefined) {
			stack = new CallStack();
			stack.left = thread.counter;
			this.#stacks.set(number, stack);
		}
		if (stack === thread.stack)
			return;
		if (stack.thread !== null)
			this.#returnToOwnStack(stack.thread, thread.counter);
		this.#setStack(thread, stack, thread.counter);
		if (number !== 0n)
			stack.thread = thread;
		if (this.#gap !== null && this.#gap >= stack.left) {
			stack.frames = [];
			stack.folded = 0;
		}
		this.#show(thread);
	}

	#endStack(number) {
		const stack = this.#stacks.get(number);
		if (stack === undefined)
			return;
		if (stack.thread !== null)
			this.#returnToOwnStack(stack.thread, stack.left);
		this.#stacks.delete(number);
	}

	// Recording was stopped for a while: calls end when it was, and the time until it resumed belongs to no call.
	#endSuspension(thread, counter, duration, time) {
		const stopped = counter - duration;
		if (stopped > thread.counter) {
			thread.counter = stopped;
			thread.time = this.#clock.timeOf(stopped);
		}
		this.#clear(thread);
		if (this.#gap === null || stopped > this.#gap)
			this.#gap = stopped;
		this.#advance(thread, counter, time);
	}

	#advance(thread, counter, time) {
		if (counter <= thread.counter)
			return;
		thread.counter = counter;
		thread.time = time;
	}

	#addRare(thread, kind, value) {
		if (kind === eventKinds.stackSwitch)
			this.#switchStack(thread, value);
		else if (kind === eventKinds.stackEnd)
			this.#endStack(value);
		else if (kind === eventKinds.threadEnd && value !== thread.id)
			this.#thread(value).reportedEnd = thread.counter;
		else if (kind === eventKinds.threadEnd)
			thread.hasEnded = true; // calls that are still open may return
		else if (kind === eventKinds.threadStart && value === thread.id) {
			thread.hasEnded = false;
			this.#start(thread);
		}
	}

	// Adds the events of a batch whose counters are above after and below end; null: no such bound.
	#addEvents(thread, batch, after, end) {
		const { kind, id, counter, value } = batch;
		const time = this.#clock.timesOf(counter);
		for (let i = 0; i < batch.length; i++) {
			if ((after !== null && counter[i] <= after) || (end !== null && counter[i] >= end))
				continue;
			if (kind[i] === eventKinds.resumed) {
				this.#endSuspension(thread, counter[i], value[i], time[i]);
				continue;
			}
			// The ID of a thread that has ended is used again: the time since then is not that of its calls.
			if (thread.hasEnded && kind[i] === eventKinds.threadStart && value[i] === thread.id)
				this.#start(thread);
			this.#advance(thread, counter[i], time[i]);
			switch (kind[i]) {
			case eventKinds.enter:
				this.#enter(thread, id[i]);
				break;
			case eventKinds.leave:
			case eventKinds.leaveException:
			case eventKinds.leaveTail:
				this.#leave(thread, id[i]);
				break;
			case eventKinds.leaveImplicit:
				this.#leaveTop(thread);
				break;
			default:
				this.#addRare(thread, kind[i], value[i]);
			}
		}
	}

	#addSamples(thread, batch, after, end) {
		const { kind, counter, value } = batch;
		const time = this.#clock.timesOf(counter);
		if (thread.row === null) {
			thread.row = new CallRow(thread.id);
			this.rows.push(thread.row);
		}
		const { samples } = thread.row;
		for (let i = 0; i < batch.length; i++) {
			if (kind[i] !== eventKinds.sample || (after !== null && counter[i] <= after) || (end !== null && counter[i] >= end))
				continue;
			samples.time.push(time[i]);
			samples.stack.push(Number(value[i]));
		}
	}

	#addBatch(block, batch, isFirst, after, end) {
		const thread = this.#thread(block.thread);
		if (block.kind === sampleBlock) {
			this.#addSamples(thread, batch, after, end);
			return;
		}
		if (isFirst && after === null)
			this.#beginBlock(thread, batch);
		if (thread.row !== null)
			this.#addEvents(thread, batch, after, end);
	}

	// Reads the events of the block that the cursor is at, with pauses.
	async #readBlock(block, pause, after = null, end = null) {
		let isFirst = true;
		for (let batch; !this.isFull && (batch = this.#cursor.nextEvents()) !== null;) {
			this.#addBatch(block, batch, isFirst, after, end);
			isFirst = false;
			await pause();
		}
	}

	#makePause() {
		let last = performance.now();
		return async () => {
			if (performance.now() - last < stepTime)
				return;
			await new Promise((resolve) => setTimeout(resolve, 0));
			last = performance.now();
		};
	}

	/** Reads the calls of all threads, of the whole log. The cursor is at its start. */
	async readAll() {
		const pause = this.#makePause();
		for (let block; !this.isFull && (block = this.#cursor.nextBlock()) !== null;) {
			if (block.kind === eventBlock || block.kind === sampleBlock)
				await this.#readBlock(block, pause);
		}
		this.#finish(this.#latest());
	}

	/**
	 * Reads the calls between two counters. The cursor has an index, whose table is index; threads are those to read,
	 * undefined for all.
	 */
	async readWindow(index, from, to, threads) {
		const pause = this.#makePause();
		const isChosen = (i) => threads === undefined || threads.includes(index.thread[i]);
		const places = Array.from(index.kind.keys()).filter((i) => (index.kind[i] === eventBlock || index.kind[i] === sampleBlock) &&
			isChosen(i) && index.end_counter[i] >= from && index.start_counter[i] <= to);
		const last = new Map();
		index.thread.forEach((id, i) => {
			if (index.kind[i] === eventBlock && isChosen(i) && index.end_counter[i] > (last.get(id) ?? 0n))
				last.set(id, index.end_counter[i]);
		});
		for (const [id, counter] of last) {
			const frames = this.#cursor.openFrames(id, from);
			if (counter < from && frames.length === 0)
				continue;
			const thread = this.#thread(id);
			// Method 0 stands for callers that were not recorded.
			thread.stack.frames = frames.map((frame) => frame.id).filter((method) => method !== 0).reverse();
			this.#beginRow(thread, from, this.#clock.timeOf(from));
			await pause();
		}
		for (const i of places) {
			this.#cursor.seek(index.offset[i]);
			const block = this.#cursor.nextBlock();
			if (block !== null && !this.isFull)
				await this.#readBlock(block, pause, from, to);
		}
		let end = this.#latest();
		for (const counter of last.values())
			end = counter > end ? counter : end;
		this.#finish(end < to ? end : to);
	}

	// The latest counter of the log, as far as it is known.
	#latest() {
		let latest = this.#clock.end;
		for (const { counter } of this.#threads.values())
			latest = counter > latest ? counter : latest;
		return latest;
	}

	// Calls that do not end last until the end of what was read, or of their thread. Where reading stopped is not known.
	#finish(end) {
		for (const thread of this.#threads.values()) {
			const { reportedEnd } = thread;
			const isOver = reportedEnd !== null && reportedEnd >= thread.counter && reportedEnd < end;
			const until = thread.hasEnded ? thread.counter : isOver ? reportedEnd : end;
			if (thread.stack.frames.length > 0 && until > thread.counter && !this.isFull)
				thread.time = this.#clock.timeOf(until);
			this.#hide(thread);
			if (thread.row !== null && thread.row.depths.length === 0)
				this.#chartSamples(thread.row);
		}
		this.#nameOfMethod.forEach((name, id) => {
			this.names[name] = this.#cursor.readableMethodName(id) ?? 'unknown';
		});
		this.rows = this.rows.filter((row) => row.depths.length > 0 || row.samples.time.length > 0);
	}

	#frameName({ id, isNative }) {
		const key = isNative ? -1 - id : id;
		let name = this.#nameOfFrame.get(key);
		if (name === undefined) {
			name = isNative ? this.#addName(this.#cursor.frameName(4, id) ?? 'native code', 0) : this.#methodName(id);
			this.#nameOfFrame.set(key, name);
		}
		return name;
	}

	// The names of the frames of a stack ID, the outermost first.
	#frames(stack) {
		let frames = this.#framesOfStack.get(stack);
		if (frames === undefined) {
			frames = stack === 0 ? [] : this.#cursor.stack(stack).map((frame) => this.#frameName(frame)).reverse();
			this.#framesOfStack.set(stack, frames);
		}
		return frames;
	}

	// Consecutive samples with the same outer frames become one span.
	#chartSamples(row) {
		const { time, stack } = row.samples;
		const distances = time.slice(1).map((at, i) => at - time[i]).sort((a, b) => a - b);
		const interval = distances[distances.length >> 1] ?? 0;
		row.isSampled = true;
		for (let i = 0; i < time.length; i++) {
			const frames = this.#frames(stack[i]);
			const before = i > 0 && time[i] - time[i - 1] <= mostIntervals * interval ? this.#frames(stack[i - 1]) : [];
			const until = i + 1 < time.length && time[i + 1] - time[i] <= mostIntervals * interval ? time[i + 1] : time[i] + interval;
			let isSame = true;
			for (let depth = 0; depth < Math.min(frames.length, deepestCall); depth++) {
				const list = row.list(depth);
				isSame = isSame && before[depth] === frames[depth];
				if (isSame) {
					list.end[list.count - 1] = until;
				} else {
					list.add(time[i], until, frames[depth]);
					this.count++;
				}
			}
		}
	}
}
