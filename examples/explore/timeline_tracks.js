// SPDX-License-Identifier: MIT
// The tracks of a timeline: the axis with markers and pauses, metrics, and threads with their calls. A track has a
// height, draws itself for a window of time, and describes what is at a place.
import { activityColors, boxText, frameColor, lookOf } from './colors.js';
import { bytesText, countOf, countText, timeText } from './figures.js';
import { drawSpans, spanAt } from './span_painter.js';
import { lowerBound } from './time_window.js';

const axisHeight = 20;
/** The width of a character below an axis. */
export const tickCharacter = 6;
const bandHeight = 13;
const callHeight = 15;
const activityHeight = 16;
const sampleHeight = 5;
const metricHeight = 40;

// Calls below this depth are not drawn.
const mostRows = 60;

const pauseNames = { 1: 'world stopped', 2: 'collection', 3: 'waits for a monitor' };

const axisUnits = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];

/** A time of an axis up to last, with as many digits as a step between times needs, at most three after the point. */
export function tickText(time, step, last) {
	const [size, unit] = axisUnits.find(([length]) => last >= length && step >= length / 1000) ?? axisUnits.at(-1);
	const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
	return `${(time / size).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** The axis of time, with markers, collections and other pauses of the whole run. */
export class AxisTrack {
	/** marks: {time, text}, sorted; bands: {title, color, spans, describe(i)}. */
	constructor(marks, bands) {
		this.marks = marks;
		this.bands = bands;
		this.markTop = axisHeight;
		this.bandTop = axisHeight + (marks.time.length > 0 ? bandHeight : 0);
		this.height = this.bandTop + bands.length * bandHeight + 2;
	}

	draw(context, window, width, colors) {
		const { ticks, step } = window.ticks(Math.max(2, Math.floor(width / 110)));
		const scale = width / window.length;
		for (const time of ticks) {
			const x = Math.round((time - window.from) * scale);
			context.fillStyle = colors.line;
			context.fillRect(x, 0, 1, this.height);
			context.fillStyle = colors.faint;
			const text = tickText(time, step, window.to);
			if (x + 6 + text.length * tickCharacter <= width)
				context.fillText(text, x + 3, axisHeight / 2);
		}
		this.bands.forEach(({ spans, color }, i) => drawSpans(context, spans, window,
			{ top: this.bandTop + i * bandHeight + 1, height: bandHeight - 2, width }, { dense: color, fill: () => color }));
		this.#drawMarks(context, window, width, colors);
	}

	#drawMarks(context, window, width, colors) {
		const { time, text } = this.marks;
		const scale = width / window.length;
		let free = 0;
		for (let i = lowerBound(time, window.from); i < time.length && time[i] <= window.to;) {
			const x = (time[i] - window.from) * scale;
			context.fillStyle = colors.accent;
			context.fillRect(Math.round(x), this.markTop, 2, bandHeight);
			if (x >= free) {
				context.fillStyle = colors.text;
				context.fillText(text[i], x + 5, this.markTop + bandHeight / 2);
				free = x + 14 + 6.4 * text[i].length;
			}
			i = lowerBound(time, window.from + (Math.floor(x) + 1) / scale, i + 1);
		}
	}

	describe(time, y, distance) {
		if (y < axisHeight)
			return { text: timeText(time) };
		if (y < this.bandTop) {
			const at = lowerBound(this.marks.time, time - distance);
			const isNear = at < this.marks.time.length && this.marks.time[at] <= time + distance;
			return isNear ? { text: `${this.marks.text[at]}, at ${timeText(this.marks.time[at])}` } : null;
		}
		const band = this.bands[Math.floor((y - this.bandTop) / bandHeight)];
		const found = band === undefined ? -1 : spanAt(band.spans, time, distance);
		return found < 0 ? null : { text: band.describe(band.spans.row[found]), from: band.spans.start[found], to: band.spans.end[found] };
	}
}

// The growth from each value to the next one, per second.
function ratesOf({ time, value }) {
	const rates = { time: [], value: [] };
	for (let i = 0; i + 1 < time.length; i++) {
		const length = time[i + 1] - time[i];
		if (length > 0) {
			rates.time.push(time[i]);
			rates.value.push(Math.max(0, value[i + 1] - value[i]) * 1e9 / length);
		}
	}
	if (rates.time.length > 0) {
		rates.time.push(time.at(-1));
		rates.value.push(rates.value.at(-1));
	}
	return rates;
}

/** The values of a metric, as steps; of one that only grows, its growth per second. */
export class MetricTrack {
	constructor(title, unit, series, isGrowing = false) {
		const rates = isGrowing ? ratesOf(series) : null;
		const { time, value } = rates !== null && rates.time.length > 0 ? rates : series;
		this.height = metricHeight;
		this.title = title;
		this.unit = unit;
		this.isRate = value !== series.value;
		this.time = time;
		this.value = value;
		this.least = value.reduce((a, b) => Math.min(a, b), Infinity);
		this.most = value.reduce((a, b) => Math.max(a, b), -Infinity);
		this.isConstant = this.isRate ? this.most === 0 : this.least === this.most;
		const last = series.value.at(-1);
		this.summary = this.isConstant ? `always ${this.#amount(last)}` : this.isRate
			? `at most ${this.text(this.most)}, in all ${this.#amount(last - series.value[0])}` : `${this.text(this.least)} to ${this.text(this.most)}`;
		this.bottom = Math.min(0, this.least);
		if (this.isConstant)
			this.height = 6;
	}

	#amount(value) {
		return this.unit === 'bytes' ? bytesText(Math.round(value)) : this.unit === 'ns' ? timeText(value)
			: value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) >= 100 ? 0 : 3 });
	}

	text(value) {
		// Time per second of time is a share.
		if (this.isRate && this.unit === 'ns')
			return `${(value / 1e7).toFixed(1)} %`;
		return this.isRate ? `${this.#amount(value)}/s` : this.#amount(value);
	}

	draw(context, window, width, colors) {
		const scale = width / window.length;
		const y = (value) => 2 + (this.height - 4) * (1 - (value - this.bottom) / (this.most - this.bottom || 1));
		const first = Math.max(0, lowerBound(this.time, window.from) - 1);
		if (this.isConstant) {
			context.fillStyle = colors.line;
			context.fillRect(0, 2, width, 1);
			return;
		}
		context.beginPath();
		for (let i = first; i < this.time.length && (i === first || this.time[i - 1] <= window.to); i++) {
			const x = Math.min(width + 2, Math.max(-2, (this.time[i] - window.from) * scale));
			if (i > first)
				context.lineTo(x, y(this.value[i - 1]));
			context.lineTo(x, y(this.value[i]));
		}
		if (this.time.length > 0 && this.time.at(-1) < window.to)
			context.lineTo(width, y(this.value.at(-1)));
		context.strokeStyle = colors.accent;
		context.lineWidth = 1.25;
		context.stroke();
	}

	describe(time) {
		const after = lowerBound(this.time, time);
		const at = this.time[after] === time ? after : after - 1;
		return at < 0 ? null : { text: `${this.title}: ${this.text(this.value[at])}, since ${timeText(this.time[at])}` };
	}
}

/** A thread: how busy it was, its waits and samples, and its calls once they are known. */
export class ThreadTrack {
	calls = [];
	matches = [];
	#colors = [];

	/** slices: the table timeline_slices of the thread; timeline: where they are; waits: spans with rows of pauses. */
	constructor(thread, title, slices, timeline, waits, describePause) {
		this.thread = thread;
		this.title = title;
		this.slices = slices;
		this.timeline = timeline;
		this.waits = waits;
		this.describePause = describePause;
		this.most = slices.samples.reduce((a, b) => Math.max(a, b), 1);
		this.height = activityHeight;
	}

	/** Rows of calls of this thread (several if its clock went back), with the names they refer to, and their methods or 0. */
	setCalls(rows, names, methods) {
		this.names = names;
		this.calls = [];
		this.#colors = names.map((name, i) => {
			const frame = { kind: methods[i] > 0 ? 1 : 2, name };
			return frameColor(lookOf(frame), frame);
		});
		let top = activityHeight;
		for (const { depths, samples, isSampled } of rows) {
			const shown = depths.slice(0, mostRows);
			this.calls.push({ top, depths: shown, all: depths, samples, isSampled });
			top += shown.length * callHeight + (samples.length > 0 ? sampleHeight : 0);
		}
		this.height = Math.max(top, this.calls.length > 0 ? activityHeight : this.height);
	}

	setMatches(isMatch) {
		this.matches = isMatch === null || this.names === undefined ? [] : this.names.map(isMatch);
	}

	/** Whether the thread did or waited for anything, apart from being stopped. */
	get isActive() {
		const { methods_ns: methods, samples, waiting_ns: waiting, state_ns: states } = this.slices;
		return [methods, samples, waiting, states].some((column) => column.some((value) => value > 0));
	}

	draw(context, window, width, colors) {
		this.#drawLife(context, window, width, colors);
		this.#drawActivity(context, window, width);
		drawSpans(context, this.waits, window, { top: activityHeight - 4, height: 4, width },
			{ dense: activityColors.waiting, fill: () => activityColors.waiting });
		for (const row of this.calls)
			this.#drawCalls(context, row, window, width, colors);
	}

	// The ground of the time in which the thread existed.
	#drawLife(context, window, width, colors) {
		const { existing_ns: existing, start_ns: start } = this.slices;
		const scale = width / window.length;
		const first = existing.findIndex((time) => time > 0);
		if (first < 0)
			return;
		const last = existing.findLastIndex((time) => time > 0);
		const left = Math.max(0, (start[first] - window.from) * scale);
		const right = Math.min(width, (start[last] + this.timeline.slice_ns - window.from) * scale);
		context.fillStyle = colors.life;
		context.fillRect(left, 0, Math.max(1, right - left), activityHeight - 2);
	}

	#drawActivity(context, window, width) {
		const { slices, timeline, most } = this;
		const { start_ns: start, slice_ns: step } = timeline;
		const scale = width / window.length;
		const bar = Math.max(1, Math.ceil(step * scale));
		const fill = (i, share, color) => {
			context.fillStyle = color;
			const size = Math.min(1, share) * (activityHeight - 2);
			context.fillRect(Math.floor((slices.start_ns[i] - window.from) * scale), activityHeight - 2 - size, bar, size);
		};
		const first = Math.max(0, Math.floor((window.from - start) / step));
		const last = Math.min(slices.length, Math.ceil((window.to - start) / step));
		for (let i = first; i < last; i++) {
			if (slices.state_ns[i] > 0) {
				fill(i, slices.state_ns[i] / step, activityColors.waiting);
				fill(i, slices.running_ns[i] / step, activityColors.running);
			} else if (slices.methods_ns[i] > 0) {
				fill(i, slices.methods_ns[i] / step, activityColors.methods);
			} else if (slices.samples[i] > 0) {
				fill(i, slices.samples[i] / most, activityColors.waiting);
				fill(i, (slices.samples[i] - slices.waiting_samples[i]) / most, activityColors.samples);
			}
			if (slices.waiting_ns[i] > 0)
				fill(i, slices.waiting_ns[i] / step, activityColors.waiting);
			if (slices.stopped_ns[i] > 0)
				fill(i, slices.stopped_ns[i] / step, activityColors.stopped);
		}
	}

	#drawCalls(context, { top, depths, samples }, window, width, colors) {
		let spans;
		const paint = {
			dense: colors.dense,
			fill: (i) => (this.matches[spans.name[i]] ? colors.match : this.#colors[spans.name[i]]),
			text: (i) => this.names[spans.name[i]],
			textColor: () => boxText,
		};
		depths.forEach((list, depth) => {
			spans = list;
			drawSpans(context, list, window, { top: top + depth * callHeight, height: callHeight - 1, width }, paint);
		});
		const scale = width / window.length;
		context.fillStyle = activityColors.samples;
		for (let i = lowerBound(samples, window.from); i < samples.length && samples[i] <= window.to;) {
			const x = Math.floor((samples[i] - window.from) * scale);
			context.fillRect(x, top + depths.length * callHeight, 1, sampleHeight - 1);
			i = lowerBound(samples, window.from + (x + 1) / scale, i + 1);
		}
	}

	/** What is at a place; a call has its place, for neighbour(). */
	describe(time, y, distance) {
		const row = this.calls.findLast(({ top }) => y >= top);
		if (row === undefined) {
			const wait = spanAt(this.waits, time, distance);
			return wait < 0 ? this.#describeActivity(time) : { text: this.describePause(this.waits.row[wait]),
				from: this.waits.start[wait], to: this.waits.end[wait] };
		}
		const depth = Math.floor((y - row.top) / callHeight);
		const found = depth < row.depths.length ? spanAt(row.depths[depth], time, distance) : -1;
		return found < 0 ? null : this.describeCall({ row, depth, index: found });
	}

	#describeActivity(time) {
		const { start_ns: start, slice_ns: step } = this.timeline;
		const i = Math.floor((time - start) / step);
		if (!(i >= 0 && i < this.slices.length))
			return null;
		const parts = [['methods_ns', 'in methods'], ['running_ns', 'running'], ['waiting_ns', 'waiting for monitors'], ['stopped_ns', 'stopped'], ['cpu_ns', 'of processor time']]
			.filter(([key]) => this.slices[key][i] > 0).map(([key, text]) => `${timeText(this.slices[key][i])} ${text}`);
		if (this.slices.state_ns[i] > this.slices.running_ns[i])
			parts.push(`${timeText(this.slices.state_ns[i] - this.slices.running_ns[i])} in other states`);
		if (this.slices.samples[i] > 0) {
			const waiting = this.slices.waiting_samples[i];
			parts.push(countOf(this.slices.samples[i], 'sample') + (waiting > 0 ? `, ${countText(waiting)} of them waiting` : ''));
		}
		const from = timeText(this.slices.start_ns[i]);
		return { text: `${timeText(step)} from ${from}: ${parts.length > 0 ? parts.join(', ') : 'nothing recorded'}` };
	}

	describeCall({ row, depth, index }) {
		const { start, end, name } = row.depths[depth];
		const kind = row.isSampled ? 'samples with it from' : 'from';
		return { text: `${this.names[name[index]]}: ${timeText(end[index] - start[index])}, ${kind} ${timeText(start[index])}`,
			from: start[index], to: end[index], name: name[index], call: { row, depth, index } };
	}

	/** The outermost call near a time, or null. */
	callNear(time) {
		for (const row of this.calls) {
			if (row.depths.length === 0 || row.depths[0].start.length === 0)
				continue;
			const at = lowerBound(row.depths[0].end, time);
			return this.describeCall({ row, depth: 0, index: Math.min(at, row.depths[0].start.length - 1) });
		}
		return null;
	}

	/** The call before or after another one at its depth, its caller, or its first callee; null if there is none. */
	neighbour({ row, depth, index }, direction) {
		const { start, end } = row.depths[depth];
		let to = { row, depth, index: index + (direction === 'next' ? 1 : -1) };
		if (direction === 'caller')
			to = { row, depth: depth - 1, index: depth > 0 ? lowerBound(row.depths[depth - 1].end, end[index]) : -1 };
		else if (direction === 'callee')
			to = { row, depth: depth + 1, index: depth + 1 < row.depths.length ? lowerBound(row.depths[depth + 1].start, start[index]) : -1 };
		const list = row.depths[to.depth];
		if (list === undefined || to.index < 0 || to.index >= list.start.length)
			return null;
		return direction === 'callee' && list.start[to.index] >= end[index] ? null : this.describeCall(to);
	}

	/** The rectangle of a call: {left, width, top, height}. */
	place({ row, depth, index }, window, width) {
		const scale = width / window.length;
		const left = (row.depths[depth].start[index] - window.from) * scale;
		return { left, width: (row.depths[depth].end[index] - window.from) * scale - left, top: row.top + depth * callHeight,
			height: callHeight - 1 };
	}
}

export function pauseName(kind) {
	return pauseNames[kind] ?? 'pause';
}
