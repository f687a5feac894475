// SPDX-License-Identifier: MIT
// Draws spans of time that do not overlap. The cost depends on the number of pixels, not on that of spans: those that
// share a pixel are skipped with a search.
import { shortName } from './short_name.js';
import { lowerBound } from './time_window.js';

// Narrower spans have no box of their own, and narrower boxes no text, in pixels.
const leastBox = 2;
const leastText = 28;
const textWidth = 6.2;

// Levels of detail of lists with many spans, by their starts: each level is for pixels that are half as long as those of
// the one before it.
const levelsOfStarts = new WeakMap();

// A level has at least this many times fewer parts than there are spans.
const leastSaving = 4;

// Spans shorter than two pixels and the gaps between them become one span with the index dense.
const dense = 0xffffffff;

function coarsen({ start, end }, pixel) {
	const found = { start: [], end: [], index: [] };
	let from = -1;
	let to = -Infinity;
	const add = (first, last, index) => {
		found.start.push(first);
		found.end.push(last);
		found.index.push(index);
	};
	const flush = () => {
		if (to > -Infinity)
			add(from, to, dense);
		to = -Infinity;
	};
	for (let i = 0; i < start.length;) {
		if (end[i] - start[i] >= leastBox * pixel) {
			flush();
			add(start[i], end[i], i);
			i++;
			continue;
		}
		const next = start[i] + pixel;
		let after = lowerBound(start, next, i + 1);
		// The last one may go on.
		if (after - 1 > i && end[after - 1] > next)
			after--;
		if (start[i] - to >= pixel) {
			flush();
			from = start[i];
		}
		to = Math.max(end[i], end[after - 1]);
		i = after;
	}
	flush();
	return { start: Float64Array.from(found.start), end: Float64Array.from(found.end), index: Uint32Array.from(found.index) };
}

// The spans, or a level of detail that looks the same if a pixel is this long.
function chooseLevel(spans, pixel) {
	const { start } = spans;
	const total = start.length > 0 ? start.at(-1) - start[0] : 0;
	const level = Math.max(0, Math.ceil(Math.log2(total / pixel)));
	if (!(total > 0) || start.length < leastSaving * 2 ** level)
		return spans;
	const levels = levelsOfStarts.get(start) ?? new Map();
	levelsOfStarts.set(start, levels);
	if (!levels.has(level))
		levels.set(level, coarsen(spans, total / 2 ** level));
	return levels.get(level);
}

/**
 * spans: {start, end, name}; place: {top, height, width}; paint: fill(i) returns the color of span i, text(i) its text,
 * textColor(i); dense: the color of pixels that several spans share.
 */
export function drawSpans(context, spans, window, place, paint) {
	const { start, end, index = null } = chooseLevel(spans, window.length / place.width);
	const scale = place.width / window.length;
	let denseFrom = -1;
	let denseTo = -1;
	const flush = () => {
		if (denseFrom >= 0) {
			context.fillStyle = paint.dense;
			context.fillRect(denseFrom, place.top, denseTo - denseFrom, place.height);
		}
		denseFrom = -1;
	};
	for (let i = lowerBound(end, window.from); i < start.length && start[i] < window.to;) {
		const left = Math.max(0, (start[i] - window.from) * scale);
		const right = Math.min(place.width, (end[i] - window.from) * scale);
		if (right - left >= leastBox) {
			flush();
			const span = index === null ? i : index[i];
			if (span === dense) {
				context.fillStyle = paint.dense;
				context.fillRect(left, place.top, right - left, place.height);
			} else {
				drawBox(context, span, left, right - left, place, paint);
			}
			i++;
			continue;
		}
		const pixel = Math.floor(left);
		const next = window.from + (pixel + 1) / scale;
		if (denseFrom >= 0 && pixel > denseTo)
			flush();
		if (denseFrom < 0)
			denseFrom = pixel;
		denseTo = Math.max(pixel + 1, Math.ceil(right));
		let after = lowerBound(start, next, i + 1);
		// The last one may go on.
		if (after - 1 > i && end[after - 1] > next)
			after--;
		i = after;
	}
	flush();
}

function drawBox(context, i, left, width, place, paint) {
	context.fillStyle = paint.fill(i);
	context.fillRect(left, place.top, Math.max(1, width - 0.5), place.height);
	if (width < leastText || paint.text === undefined)
		return;
	const text = paint.text(i);
	context.fillStyle = paint.textColor(i);
	context.fillText(shortName(text, Math.floor((width - 4) / textWidth)), left + 3, place.top + place.height / 2);
}

/** The span at a time, or one that is at most so much later or earlier; -1 if none. */
export function spanAt({ start, end }, time, distance = 0) {
	const i = lowerBound(end, time);
	if (i < start.length && start[i] <= time + distance)
		return i;
	return i > 0 && end[i - 1] >= time - distance ? i - 1 : -1;
}

/** Spans from the columns of a table; those that begin before the last one has ended are shortened. */
export function makeSpans(starts, durations, chosen) {
	const order = chosen.sort((a, b) => starts[a] - starts[b]);
	const spans = { start: new Float64Array(order.length), end: new Float64Array(order.length), row: order };
	let last = -Infinity;
	order.forEach((row, i) => {
		spans.start[i] = Math.max(last, starts[row]);
		last = Math.max(spans.start[i], starts[row] + durations[row]);
		spans.end[i] = last;
	});
	return spans;
}
