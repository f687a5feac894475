// SPDX-License-Identifier: MIT
// What the timeline asks of a log: single calls of a time, and the values of metrics. Runs in the worker.
import { CallReader, SessionClock } from './call_reader.js';
import { LogPart } from './log_part.js';

// Blocks with events of threads, with samples, and with metrics: numbers of mprof_block_kind.
const callBlocks = [6, 35];
const metricBlocks = [38];

// Spans that are read at once: at most 40 bytes each while they are read.
const mostSpans = 6000000;

// Values of a metric that are kept; of more, pairs of the smallest and the largest of several.
const mostValues = 20000;

export class TimelineQuestions {
	#part;
	#whole;
	#cursor = null;
	#index;
	#last = Promise.resolve();

	/** whole: the profile of the whole log. */
	constructor(mprof, log, whole) {
		this.#part = new LogPart(mprof, log);
		this.#whole = whole;
	}

	// One question after the other: they share the cursor.
	ask(question, parameters) {
		const answers = { calls: this.#calls, metricValues: this.#metricValues };
		if (answers[question] === undefined)
			return undefined;
		const result = this.#last.then(() => answers[question].call(this, parameters));
		this.#last = result.catch(() => {});
		return result;
	}

	#clock() {
		return new SessionClock(this.#whole.session());
	}

	#close() {
		this.#cursor?.close();
		this.#cursor = null;
	}

	// Whether the calls of the whole log are few enough to be read at once.
	#isSmall() {
		const { calls, samples } = this.#whole.totals();
		return calls + samples <= mostSpans;
	}

	#estimate(places) {
		const { calls, samples, block_counts: blocks } = this.#whole.totals();
		const sizes = this.#index.content_length;
		let all = 0;
		this.#index.kind.forEach((kind, i) => {
			all += callBlocks.includes(kind) ? sizes[i] : 0;
		});
		const bytes = places.reduce((sum, i) => sum + sizes[i], 0);
		return blocks.length === 0 || all === 0 ? 0 : (calls + samples) * bytes / all;
	}

	async #readWindow(from, to, threads) {
		const log = await this.#part.get(() => this.#close());
		if (this.#cursor === null) {
			this.#cursor = log.events({ kinds: callBlocks });
			this.#cursor.buildIndex();
			this.#index = this.#cursor.table('index');
		}
		const start = this.#cursor.counterAt(Math.floor(from));
		const end = this.#cursor.counterAt(Math.ceil(to));
		const { kind, thread, start_counter: starts, end_counter: ends } = this.#index;
		const places = Array.from(kind.keys()).filter((i) => callBlocks.includes(kind[i]) && ends[i] >= start && starts[i] <= end &&
			(threads === undefined || threads.includes(thread[i])));
		const estimate = this.#estimate(places);
		if (estimate > 1.5 * mostSpans)
			return { estimate };
		const reader = new CallReader(this.#cursor, this.#clock(), mostSpans);
		await reader.readWindow(this.#index, start, end, threads);
		return { reader };
	}

	async #readAll() {
		const log = await this.#part.get(() => this.#close());
		const cursor = log.events({ kinds: callBlocks });
		const reader = new CallReader(cursor, this.#clock(), mostSpans);
		try {
			await reader.readAll();
		} finally {
			cursor.close();
		}
		return { reader };
	}

	/**
	 * The calls of threads from one time to another, or of the whole log if they are not too many: then from and to of
	 * the answer are infinite. With tooMany, there are about that many, and none is given.
	 */
	async #calls({ from, to, threads }) {
		const isSmall = this.#isSmall();
		const { reader, estimate } = isSmall ? await this.#readAll() : await this.#readWindow(from, to, threads);
		if (reader === undefined || reader.isFull)
			return { tooMany: reader === undefined ? estimate : mostSpans };
		const rows = reader.rows.map(({ thread, depths, samples, isSampled = false }) => ({ thread, isSampled,
			depths: depths.map((list) => list.columns()), samples: Float64Array.from(samples.time) }));
		const transfer = rows.flatMap(({ depths, samples }) => [samples.buffer,
			...depths.flatMap(({ start, end, name }) => [start.buffer, end.buffer, name.buffer])]);
		return { from: isSmall ? -Infinity : from, to: isSmall ? Infinity : to, rows, names: reader.names, methods: reader.methods,
			folded: reader.folded, isWhole: this.#part.isWhole, transfer };
	}

	// Of many values, each group keeps its smallest and its largest, in their order.
	#thin({ time, value }) {
		if (time.length <= mostValues)
			return { time: Float64Array.from(time), value: Float64Array.from(value) };
		const size = Math.ceil(2 * time.length / mostValues);
		const kept = [];
		for (let first = 0; first < time.length; first += size) {
			let least = first;
			let most = first;
			for (let i = first; i < Math.min(time.length, first + size); i++) {
				least = value[i] < value[least] ? i : least;
				most = value[i] > value[most] ? i : most;
			}
			kept.push(Math.min(least, most), Math.max(least, most));
		}
		return { time: Float64Array.from(kept, (i) => time[i]), value: Float64Array.from(kept, (i) => value[i]) };
	}

	/** The values of all metrics, in the order of the table of metrics. */
	async #metricValues() {
		const log = await this.#part.get(() => this.#close());
		const cursor = log.events({ kinds: metricBlocks });
		const clock = this.#clock();
		const series = new Map();
		for (let block; (block = cursor.nextBlock()) !== null;) {
			if (!metricBlocks.includes(block.kind))
				continue;
			const values = cursor.metricValues();
			const time = clock.timeOf(block.start_counter);
			for (let i = 0; i < values.length; i++) {
				const found = series.get(values.id[i]) ?? { points: [] };
				series.set(values.id[i], found);
				found.points.push({ time: values.counter[i] !== 0n ? clock.timeOf(values.counter[i]) : time, value: values.value[i] });
			}
		}
		cursor.close();
		// Values with a time of their own are in no order of time.
		return Array.from(series, ([id, { points }]) => {
			points.sort((left, right) => left.time - right.time);
			return { id, ...this.#thin({ time: points.map(({ time }) => time), value: points.map(({ value }) => value) }) };
		});
	}
}
