// SPDX-License-Identifier: MIT
// The timeline: what each thread did over the run, with collections and other pauses. Dragging selects a time.
import { changeAddress } from './address.js';
import { element } from './dom.js';
import { timeText } from './figures.js';

const laneHeight = 44;
const labelHeight = 16;
const colors = { methods: '#4c8fd6', waiting: '#e0a23c', stopped: '#d0574f', samples: '#7b61c9' };

// One lane: bars whose height is the share of each slice, for one thread.
function drawLane(canvas, slices, { start_ns: start, slice_ns: step, slice_count: count }, span) {
	const width = canvas.clientWidth;
	const ratio = devicePixelRatio || 1;
	const height = laneHeight - labelHeight;
	canvas.width = width * ratio;
	canvas.height = height * ratio;
	const context = canvas.getContext('2d');
	context.scale(ratio, ratio);
	const most = slices.samples.reduce((a, b) => Math.max(a, b), 0);
	// Whole pixels, so that adjacent bars have no seams.
	const bar = Math.max(1, Math.ceil(width * step / span));
	const fill = (i, share, color) => {
		context.fillStyle = color;
		const size = Math.min(1, share) * height;
		context.fillRect(Math.floor((slices.start_ns[i] - start) / span * width), height - size, bar, size);
	};
	for (let i = 0; i < Math.min(count, slices.length); i++) {
		if (slices.methods_ns[i] > 0)
			fill(i, slices.methods_ns[i] / step, colors.methods);
		else if (slices.samples[i] > 0)
			fill(i, slices.samples[i] / most, colors.samples);
		if (slices.waiting_ns[i] > 0)
			fill(i, slices.waiting_ns[i] / step, colors.waiting);
		if (slices.stopped_ns[i] > 0)
			fill(i, slices.stopped_ns[i] / step, colors.stopped);
	}
}

// Dragging over a lane selects the time from one end to the other.
function watchDragging(canvas, timeAt, status) {
	let from = null;
	canvas.addEventListener('pointerdown', (event) => {
		from = timeAt(event);
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener('pointermove', (event) => {
		const time = timeAt(event);
		status.textContent = from === null ? timeText(time) : `${timeText(Math.min(from, time))} to ${timeText(Math.max(from, time))}`;
	});
	canvas.addEventListener('pointerup', (event) => {
		const ends = [from, timeAt(event)].sort((a, b) => a - b);
		from = null;
		if (ends[1] > ends[0])
			changeAddress({ from: Math.floor(ends[0]), to: Math.ceil(ends[1]) });
	});
}

function makeLane(thread, name, slices, timeline, status) {
	const span = timeline.slice_ns * timeline.slice_count;
	const canvas = element('canvas', { class: 'lane', role: 'img', 'aria-label': `Activity of thread ${name}` });
	const timeAt = (event) => {
		const place = canvas.getBoundingClientRect();
		return Math.max(0, timeline.start_ns + Math.min(1, Math.max(0, (event.clientX - place.left) / place.width)) * span);
	};
	watchDragging(canvas, timeAt, status);
	new ResizeObserver(() => drawLane(canvas, slices, timeline, span)).observe(canvas);
	return element('section', {}, element('button', { type: 'button', class: 'lane-name', title: 'Show only this thread',
		onclick: () => changeAddress({ threads: thread }) }, name), canvas);
}

// The times as fields, for those who do not drag.
function timeFields({ from, to }) {
	const field = (name, value) => element('input', { type: 'number', step: 'any', min: 0, 'aria-label': `${name} (seconds)`,
		value: value === undefined ? null : value / 1e9,
		onchange: (event) => changeAddress({ [name]: event.target.value === '' ? null : Math.round(event.target.value * 1e9) }) });
	return element('span', {}, 'From ', field('from', from), ' s to ', field('to', to), ' s');
}

export const timelineView = {
	id: 'timeline',
	title: 'Timeline',
	async draw(container, { client, selection }) {
		const ask = (name, options) => client.ask('table', { selection, name, options });
		const [timelines, threads] = await Promise.all([ask('timeline'), ask('threads')]);
		const status = element('div', { class: 'status' }, 'Drag to select a time; a name selects a thread.');
		const timeline = { start_ns: timelines.start_ns[0], slice_ns: timelines.slice_ns[0], slice_count: timelines.slice_count[0] };
		const lanes = [];
		for (let i = 0; i < threads.length && timeline.slice_count > 0; i++) {
			const slices = await ask('timeline_slices', { which: i });
			if (slices.existing_ns.some((time) => time > 0))
				lanes.push(makeLane(threads.id_text[i], threads.name[i] ?? threads.id_text[i], slices, timeline, status));
		}
		const legend = [['methods', 'in methods'], ['waiting', 'waiting for monitors'], ['stopped', 'world stopped'], ['samples', 'samples']]
			.map(([key, text]) => {
				const box = element('span', { class: 'legend' });
				box.style.background = colors[key];
				return element('span', {}, box, ` ${text}`);
			});
		container.replaceChildren(element('div', { class: 'tools' }, timeFields(selection), ...legend), status,
			...(lanes.length > 0 ? lanes : [element('p', {}, 'The log has no times of threads in the selection.')]));
	},
};
