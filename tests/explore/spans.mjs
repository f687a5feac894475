// SPDX-License-Identifier: MIT
// Draws many spans, from levels of detail and without them: spans.mjs SPAN_PAINTER TIME_WINDOW. What is drawn covers the
// pixels that spans cover, to the nearest pixel, and each span of several pixels has a box of its own.
import { expect, expectMany, finish } from './expect.mjs';

const [, , painterPath, windowPath] = process.argv;
const { drawSpans, spanAt } = await import(painterPath);
const { TimeWindow, lowerBound } = await import(windowPath);
const width = 1000;

let state = 4711;
function random() {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return state / 2 ** 32;
}

// Most spans and gaps are short, few are long.
function makeList(count) {
	const spans = { start: new Float64Array(count), end: new Float64Array(count), name: new Uint32Array(count) };
	let time = 0;
	for (let i = 0; i < count; i++) {
		time += random() ** 8 * 4000;
		spans.start[i] = time;
		time += random() ** 12 * 20000;
		spans.end[i] = time;
	}
	return spans;
}

function draw(spans, window) {
	const covered = new Uint8Array(width);
	const boxes = new Set();
	const context = { fillRect: (x, y, size) => covered.fill(1, Math.max(0, Math.floor(x)), Math.min(width, Math.ceil(x + size))), fillText: () => {} };
	drawSpans(context, spans, window, { top: 0, height: 10, width }, { dense: 'dense', fill: (i) => boxes.add(i) && 'box' });
	return { covered, boxes };
}

function findCovered(spans, window) {
	const covered = new Uint8Array(width);
	const scale = width / window.length;
	for (let i = lowerBound(spans.end, window.from); i < spans.start.length && spans.start[i] < window.to; i++)
		covered.fill(1, Math.max(0, Math.floor((spans.start[i] - window.from) * scale)),
			Math.min(width, Math.floor((spans.end[i] - window.from) * scale) + 1));
	return covered;
}

// The number of pixels that are covered although neither they nor their neighbours should be.
function countFar(covered, wanted) {
	return covered.reduce((sum, value, i) => sum + (value === 1 && !(wanted[i - 1] || wanted[i] || wanted[i + 1]) ? 1 : 0), 0);
}

for (const count of [0, 1, 50, 3000, 400000]) {
	const spans = makeList(count);
	const window = new TimeWindow(0, count > 0 ? spans.end.at(-1) : 1000);
	for (let tries = 0; tries < 24; tries++) {
		const { covered, boxes } = draw(spans, window);
		const wanted = findCovered(spans, window);
		expect(`${count} spans: pixels without a span`, countFar(covered, wanted), 0);
		expect(`${count} spans: spans without a pixel`, countFar(wanted, covered), 0);
		const pixel = window.length / width;
		let missing = 0;
		for (let i = lowerBound(spans.start, window.from); i < count && spans.end[i] <= window.to; i++)
			missing += spans.end[i] - spans.start[i] > 2.1 * pixel && !boxes.has(i) ? 1 : 0;
		expect(`${count} spans: long ones without a box`, missing, 0);
		window.zoom(0.5, window.from + random() * window.length);
	}
	for (let tries = 0; tries < 20 && count > 0; tries++) {
		const i = Math.floor(random() * count);
		expect(`${count} spans: that at its middle`, spanAt(spans, (spans.start[i] + spans.end[i]) / 2) >= 0, true);
	}
}
expectMany(300);
finish();
