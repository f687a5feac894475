// SPDX-License-Identifier: MIT
// Tracks of spans that the program describes: those of a thread, in rows so that they do not overlap, and those that any
// thread may end.
import { colorOf } from './colors.js';
import { figureText, timeText } from './figures.js';
import { drawSpans, spanAt } from './span_painter.js';
import { SpanList } from './span_list.js';
import { lowerBound } from './time_window.js';

const spanRowHeight = 15;

// Spans that would be in a row below are left out.
const mostSpanRows = 60;

// mprof_type_form of spans that any thread may end.
const asyncBegin = 4;

/** Spans in the order of their starts, what contains others first, in the first rows where they overlap none. */
function layOutSpans(spans, chosen) {
	const rows = [];
	let leftOut = 0;
	for (const i of chosen) {
		const start = spans.start_ns[i];
		let at = rows.findIndex(({ end }) => end <= start);
		if (at < 0 && rows.length === mostSpanRows) {
			leftOut++;
			continue;
		}
		if (at < 0)
			at = rows.push({ list: new SpanList(), end: -Infinity }) - 1;
		rows[at].end = start + spans.duration_ns[i];
		rows[at].list.add(start, rows[at].end, i);
	}
	return { rows: rows.map(({ list }) => list.columns()), leftOut };
}

export class SpanTrack {
	#spans;
	#rows;
	#isDark = null;
	#colors = new Map();
	#isMatch = null;

	/** spans: the table of spans; chosen: the numbers of those in the track, in the order of the table. */
	constructor(title, spans, chosen) {
		const { rows, leftOut } = layOutSpans(spans, chosen);
		this.title = leftOut === 0 ? title : `${title}, without ${figureText(leftOut, 'count')} that overlap too many others`;
		this.#spans = spans;
		this.#rows = rows;
		this.height = rows.length * spanRowHeight;
	}

	#text(i) {
		return this.#spans.name[i] ?? 'unknown';
	}

	#colorOf(i, isDark) {
		if (this.#isDark !== isDark)
			this.#colors.clear();
		this.#isDark = isDark;
		const name = this.#text(i);
		if (!this.#colors.has(name))
			this.#colors.set(name, colorOf(name, isDark));
		return this.#colors.get(name);
	}

	setMatches(isMatch) {
		this.#isMatch = isMatch;
	}

	draw(context, window, width, colors, isDark) {
		const matches = (i) => this.#isMatch?.(this.#text(i)) ?? false;
		this.#rows.forEach((list, row) => drawSpans(context, list, window, { top: row * spanRowHeight, height: spanRowHeight - 1, width }, {
			dense: colors.dense,
			fill: (i) => (matches(list.name[i]) ? colors.match : this.#colorOf(list.name[i], isDark)),
			text: (i) => this.#text(list.name[i]),
			textColor: (i) => (matches(list.name[i]) ? colors.matchText : colors.text),
		}));
	}

	describe(time, y, distance) {
		const list = this.#rows[Math.floor(y / spanRowHeight)];
		const found = list === undefined ? -1 : spanAt(list, time, distance);
		if (found < 0)
			return null;
		return this.#describeSpan(list, found);
	}

	/** The span of the first row near a time, or null. */
	callNear(time) {
		const [list] = this.#rows;
		return list === undefined ? null : this.#describeSpan(list, Math.min(lowerBound(list.end, time), list.end.length - 1));
	}

	#describeSpan(list, found) {
		const i = list.name[found];
		const category = this.#spans.category[i] ? `${this.#spans.category[i]}: ` : '';
		const end = this.#spans.unfinished[i] !== 0 ? ', it did not end' : '';
		return { text: `${category}${this.#text(i)}: ${timeText(this.#spans.duration_ns[i])}, from ${timeText(this.#spans.start_ns[i])}${end}`,
			from: list.start[found], to: list.end[found] };
	}
}

/** The tracks of spans: {threads: a map from IDs of threads, loose: of spans that any thread may end, or null}. */
export function makeSpanTracks(spans, nameOf) {
	const chosen = new Map();
	const loose = [];
	for (let i = 0; i < spans.length; i++) {
		if (spans.form[i] === asyncBegin) {
			loose.push(i);
			continue;
		}
		const list = chosen.get(spans.thread[i]) ?? [];
		chosen.set(spans.thread[i], list);
		list.push(i);
	}
	return { threads: new Map(Array.from(chosen, ([id, list]) => [id, new SpanTrack(`Spans of ${nameOf(id)}`, spans, list)])),
		loose: loose.length > 0 ? new SpanTrack('Spans that any thread may end', spans, loose) : null };
}
