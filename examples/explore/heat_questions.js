// SPDX-License-Identifier: MIT
// What the heat map asks of a log: what threads did in cells of time, each column being one period of the run. Runs in
// the worker.

// Cells of a column, and columns if the period is chosen here.
const cellsOfPeriod = 50;
const wantedColumns = 60;

// The maximum of slices of a timeline.
const mostCells = 10000;

const values = ['active', 'inactive', 'methods', 'running', 'waiting', 'stopped', 'runningSamples', 'waitingSamples', 'samples'];

/** The period that divides a time into about as many columns as are wanted: 1, 2 or 5 times a power of ten. */
function choosePeriod(length) {
	const unit = 10 ** Math.floor(Math.log10(length / wantedColumns));
	return Math.max(cellsOfPeriod, unit * ([1, 2, 5].find((factor) => length / (unit * factor) <= 1.7 * wantedColumns) ?? 10));
}

export class HeatQuestions {
	#log;
	#whole;
	#known = null;
	#onWork;

	/** whole: the profile of the whole log. onWork(done, total) is called while the log is read once more. */
	constructor(log, whole, onWork) {
		this.#onWork = onWork;
		this.#log = log;
		this.#whole = whole;
	}

	/** period in nanoseconds, 0: chosen here. threads: those that count, undefined for all. */
	async ask({ period: wanted, threads }) {
		const { start_ns: starts, slice_ns: lengths, slice_count: counts } = this.#whole.table('timeline');
		const length = starts.length > 0 ? lengths[0] * counts[0] : 0;
		if (length === 0)
			return { columns: 0 };
		const least = Math.ceil(length / (mostCells / cellsOfPeriod));
		const period = Math.max(least, wanted > 0 ? wanted : choosePeriod(length));
		const columns = Math.ceil(length / period);
		const cell = period / cellsOfPeriod;
		const key = JSON.stringify([period, this.#log.byteLength, (threads ?? []).map(String)]);
		if (this.#known?.key !== key)
			this.#known = { key, ...await this.#read(starts[0], cell, columns * cellsOfPeriod, threads) };
		return { start: starts[0], period, cell, columns, rows: cellsOfPeriod, values: this.#known.sums, leftOut: this.#known.leftOut };
	}

	async #read(start, cell, count, threads) {
		const profile = this.#log.profile({ withoutCallTree: true, timelineSlices: count, threads,
			windowStartNs: start, windowEndNs: Math.ceil(start + cell * count) });
		try {
			await profile.readAll({ onProgress: this.#onWork });
			const sums = Object.fromEntries(values.map((name) => [name, new Float64Array(count)]));
			const { left_out: leftOut, start_ns: first, slice_ns: step } = profile.table('timeline');
			for (let i = 0; i < profile.rowCount('threads'); i++)
				this.#add(sums, profile.table('timeline_slices', { which: i }), (time) => Math.floor((time - first[0] + step[0] / 2) / step[0]));
			return { sums, leftOut: leftOut[0] ?? 0 };
		} finally {
			profile.close();
		}
	}

	#add(sums, slices, cellOf) {
		for (let i = 0; i < slices.length; i++) {
			const at = cellOf(slices.start_ns[i]);
			sums.active[at] += slices.running_ns[i];
			sums.inactive[at] += slices.state_ns[i] - slices.running_ns[i];
			sums.methods[at] += slices.methods_ns[i];
			sums.running[at] += Math.max(0, slices.methods_ns[i] - slices.waiting_ns[i] - slices.stopped_ns[i]);
			sums.waiting[at] += slices.waiting_ns[i];
			sums.stopped[at] += slices.stopped_ns[i];
			sums.samples[at] += slices.samples[i];
			sums.waitingSamples[at] += slices.waiting_samples[i];
			sums.runningSamples[at] += slices.samples[i] - slices.waiting_samples[i];
		}
	}
}
