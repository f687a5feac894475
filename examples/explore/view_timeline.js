// SPDX-License-Identifier: MIT
// The timeline: what each thread did, from the whole run down to single calls, with markers, metrics and pauses.
import { changeAddress, linkTo, readAddress } from './address.js';
import { activityColors, legendParts } from './colors.js';
import { element, fileName, saveFile } from './dom.js';
import { countOf, countText, timeText } from './figures.js';
import { makeSpans } from './span_painter.js';
import { TimelineChart } from './timeline_chart.js';
import { makeSpanTracks } from './timeline_spans.js';
import { AxisTrack, MetricTrack, ThreadTrack, pauseName } from './timeline_tracks.js';
import { TimeWindow } from './time_window.js';
import { emptyText } from './view_tables.js';

// Numbers of mprof_pause_kind.
const waitKind = 3;

// How long the shown time does not change before calls are asked for or the address is changed, in milliseconds.
const restTime = 120;
const addressTime = 400;

// Of the time that is shown, what is asked for before and after it.
const margin = 1;

// mprof_metric_flag
const growingMetric = 0x100;
const metricUnits = { 0x10: 'bytes', 0x20: 'ns' };

const help = 'Drag to select a time; the wheel zooms, with Shift it moves. A name selects its thread. Press ? for the keys.';

// The calls of a whole log, so that they are read only once: {log, answer}.
let lastCalls = null;

function describePause(pauses, row) {
	const parts = [`${pauseName(pauses.kind[row])} for ${timeText(pauses.duration_ns[row])} from ${timeText(pauses.start_ns[row])}`];
	if (pauses.has_collection[row] !== 0)
		parts.push(`collection ${pauses.number[row]} of generation ${pauses.generation[row]}`);
	if (pauses.kind[row] === waitKind) {
		parts.push(pauses.class_id_text[row] ?? 'unknown class');
		if (pauses.holder[row] !== 0n)
			parts.push(`held by thread 0x${pauses.holder[row].toString(16)}`);
	}
	if (pauses.unfinished[row] !== 0)
		parts.push('it did not end');
	return parts.join(', ');
}

function rowsOf(table, isChosen) {
	return Array.from({ length: table.length }, (_, i) => i).filter(isChosen);
}

function makeAxis(marks, collections, pauses) {
	const order = rowsOf(marks, () => true).sort((a, b) => marks.time_ns[a] - marks.time_ns[b]);
	const bands = [];
	if (collections.length > 0) {
		bands.push({ color: activityColors.collection, spans: makeSpans(collections.start_ns, collections.duration_ns, rowsOf(collections, () => true)),
			describe: (row) => `collection ${collections.number[row]} of generation ${collections.generation[row]} for ` +
				`${timeText(collections.duration_ns[row])} from ${timeText(collections.start_ns[row])}` });
	}
	const stops = rowsOf(pauses, (i) => pauses.kind[i] === 1);
	if (stops.length > 0) {
		bands.push({ color: activityColors.stopped, spans: makeSpans(pauses.start_ns, pauses.duration_ns, stops),
			describe: (row) => describePause(pauses, row) });
	}
	return new AxisTrack({ time: Float64Array.from(order, (i) => marks.time_ns[i]), text: order.map((i) => marks.text[i] ?? '') }, bands);
}

// Metrics that only grow are drawn as rates; those that do not change come last.
function makeMetrics(metrics, values, resizes, nameOf) {
	const tracks = [];
	if (resizes.length > 0)
		tracks.push(new MetricTrack('size of the heap', 'bytes', { time: resizes.time_ns, value: resizes.bytes }));
	for (const { id, ...series } of values) {
		const row = metrics.id.indexOf(id);
		if (row < 0 || series.time.length === 0)
			continue;
		const thread = metrics.thread[row] === 0n ? '' : `, ${nameOf(metrics.thread[row])}`;
		const title = `${metrics.section[row]}: ${metrics.name[row]}${thread}`;
		tracks.push(new MetricTrack(title, metricUnits[metrics.flags[row] & 0xf0], series, (metrics.flags[row] & growingMetric) !== 0));
	}
	return [...tracks.filter(({ isConstant }) => !isConstant), ...tracks.filter(({ isConstant }) => isConstant)];
}

// Explains the colors that occur.
function legend(used) {
	return legendParts([['methods', 'in methods'], ['running', 'running'], ['samples', 'samples'], ['waiting', 'waiting'], ['stopped', 'world stopped'],
		['collection', 'collections']].filter(([key]) => used.has(key)).map(([key, text]) => [activityColors[key], text]), element);
}

// What the slices of a thread are drawn in.
function usedColors(slices) {
	const some = (isUsed) => slices.existing_ns.some((_, i) => isUsed(i));
	const hasState = (i) => slices.state_ns[i] > 0;
	return [['methods', (i) => !hasState(i) && slices.methods_ns[i] > 0],
		['running', (i) => slices.running_ns[i] > 0],
		['samples', (i) => !hasState(i) && slices.methods_ns[i] === 0 && slices.samples[i] > slices.waiting_samples[i]],
		['waiting', (i) => slices.waiting_ns[i] > 0 || slices.state_ns[i] > slices.running_ns[i] ||
			(!hasState(i) && slices.methods_ns[i] === 0 && slices.waiting_samples[i] > 0)],
		['stopped', (i) => slices.stopped_ns[i] > 0]].filter(([, isUsed]) => some(isUsed)).map(([key]) => key);
}

// The times as fields, for those who do not drag.
function timeFields(selection) {
	const field = (name, value) => element('input', { type: 'number', min: 0, step: 'any', size: 12, name, 'aria-label': `${name} in ms`,
		value: value === undefined ? '' : value / 1e6 });
	const from = field('from', selection.from);
	const to = field('to', selection.to);
	const inNs = (input) => (input.value === '' ? null : Math.round(Number(input.value) * 1e6));
	return element('form', { class: 'tools', onsubmit: (event) => {
		event.preventDefault();
		changeAddress({ from: inNs(from), to: inNs(to) });
	} }, element('label', {}, 'From ', from), element('label', {}, ' to ', to, ' ms '), element('button', { type: 'submit' }, 'Select'));
}

class TimelineView {
	#context;
	#chart;
	#threads = [];
	#spans = [];
	#status = element('div', { class: 'status', id: 'timeline-status' }, help);
	#note = element('span', { class: 'faint', id: 'timeline-note' });
	#tools = element('div', { class: 'tools' });
	#loaded = { from: NaN, to: NaN };
	#methods = [];
	#shortSpans = '';
	#hasCalls = false;
	#timer = 0;
	#addressTimer = 0;
	#asked = '';
	#used = new Set();

	constructor(context) {
		this.#context = context;
	}

	async draw(container) {
		const { client, address } = this.#context;
		delete document.body.dataset.calls;
		const ask = (name, options) => client.ask('table', { selection: {}, name, options });
		const [timelines, threads, pauses, marks, collections, metrics, resizes, spans, totals, snapshots] = await Promise.all(['timeline', 'threads',
			'pauses', 'marks', 'collections', 'metrics', 'heap_resizes', 'spans', 'totals', 'heap_shots'].map((name) => ask(name)));
		const { threadNames } = await client.ask('overview', {});
		const timeline = { start_ns: timelines.start_ns[0], slice_ns: timelines.slice_ns[0], slice_count: timelines.slice_count[0] };
		this.#chart = new TimelineChart(this.#makeWindow(timeline, address), { onMove: () => this.#rest(),
			onSelect: (from, to) => changeAddress({ from, to }), onChoose: (found, track) => this.#describe(found, track) });
		this.#chart.add(makeAxis(marks, collections, pauses), 'Time', [], 'axis');
		if (collections.length > 0)
			this.#used.add('collection');
		if (pauses.kind.includes(1))
			this.#used.add('stopped');
		const nameOf = (id) => threadNames[`0x${id.toString(16)}`] ?? `thread 0x${id.toString(16)}`;
		const spanTracks = makeSpanTracks(spans, nameOf);
		await this.#addThreads(ask, timeline, threads, pauses, spanTracks.threads, nameOf);
		if (spanTracks.loose !== null && this.#context.selection.threads === undefined)
			this.#addSpans(spanTracks.loose);
		const hasSnapshots = snapshots.length > 1 && new Set(snapshots.process).size === 1;
		if (hasSnapshots)
			this.#addSnapshots(snapshots);
		const metricCount = metrics.length + (resizes.length > 0 ? 1 : 0);
		if (metricCount > 0)
			this.#addMetrics(metricCount, async () => makeMetrics(metrics, metrics.length > 0 ? await client.ask('metricValues') : [], resizes, nameOf));
		this.#hasCalls = totals.calls[0] > 0 || totals.samples[0] > 0;
		if (!this.#hasCalls)
			document.body.dataset.calls = '0';
		if (totals.left_out_spans[0] > 0)
			this.#shortSpans = ` ${countText(totals.left_out_spans[0])} shorter spans are not shown.`;
		this.#drawTools();
		container.replaceChildren(this.#tools, this.#status, ...(this.#threads.length > 0 || this.#spans.length > 0 || marks.length > 0 || metricCount > 0 || hasSnapshots
			? [this.#chart.element] : [emptyText('--calls or --sample')]));
		this.#chart.select(this.#context.selection);
		return this;
	}

	#makeWindow(timeline, { t0, t1 }) {
		const start = timeline.slice_count > 0 ? timeline.start_ns : 0;
		const window = new TimeWindow(Math.min(0, start), start + timeline.slice_ns * timeline.slice_count);
		if (t0 !== undefined && t1 !== undefined && Number(t1) > Number(t0))
			window.show(Number(t0), Number(t1));
		return window;
	}

	// thread: of a track below no lane of its thread, else null.
	#addSpans(track, thread = null) {
		this.#spans.push(track);
		this.#chart.add(track, track.title, [thread === null ? element('div', { class: 'lane-name' }, track.title)
			: this.#threadButton(thread, track.title)], 'spans');
	}

	// What the heap had in each snapshot.
	#addSnapshots(snapshots) {
		const order = rowsOf(snapshots, () => true).sort((a, b) => snapshots.time_ns[a] - snapshots.time_ns[b]);
		const track = new MetricTrack('Heap in snapshots', 'bytes', { time: Float64Array.from(order, (i) => snapshots.time_ns[i]),
			value: Float64Array.from(order, (i) => snapshots.bytes[i]) });
		this.#chart.add(track, track.title, [element('div', { class: 'lane-name' }, element('a', { href: linkTo('heap') }, track.title),
			element('span', { class: 'lane-figure' }, track.summary))], 'metric');
	}

	// One group for all metrics, below the threads; closed, if there is anything else. Their values are read when it is opened.
	#addMetrics(count, make) {
		const { address } = this.#context;
		const isUsual = this.#spans.length === 0 && !this.#threads.some(({ isActive }) => isActive);
		const open = async () => {
			for (const track of await make()) {
				this.#chart.add(track, track.title, [element('div', { class: 'lane-name' }, track.title,
					element('span', { class: 'lane-figure' }, track.summary))], 'metric', group);
			}
			this.#chart.redraw();
		};
		const group = element('details', { class: 'track-group' },
			element('summary', {}, `Metrics (${countText(count)})`));
		group.addEventListener('toggle', () => {
			if (group.open && group.dataset.filled === undefined) {
				group.dataset.filled = '1';
				open();
			}
			changeAddress({ metrics: group.open === isUsual ? null : Number(group.open) }, true);
		});
		this.#chart.element.append(group);
		group.open = address.metrics === undefined ? isUsual : address.metrics === '1';
	}

	async #addThreads(ask, timeline, threads, pauses, spans, nameOf) {
		const { selection } = this.#context;
		const isChosen = (id) => selection.threads === undefined || selection.threads.includes(id);
		const waits = new Map();
		rowsOf(pauses, (i) => pauses.kind[i] === waitKind).forEach((i) => {
			const list = waits.get(pauses.thread[i]) ?? [];
			waits.set(pauses.thread[i], list);
			list.push(i);
		});
		const idle = [];
		for (let i = 0; i < threads.length && timeline.slice_count > 0; i++) {
			const id = threads.id[i];
			const slices = isChosen(id) ? await ask('timeline_slices', { which: i }) : null;
			if (slices === null || !slices.existing_ns.some((time) => time > 0))
				continue;
			for (const key of usedColors(slices))
				this.#used.add(key);
			const track = new ThreadTrack(id, nameOf(id), slices, timeline,
				makeSpans(pauses.start_ns, pauses.duration_ns, waits.get(id) ?? []), (row) => describePause(pauses, row));
			if (track.isActive || waits.has(id))
				this.#addThread(track);
			else if (!spans.has(id))
				idle.push(track);
			if (spans.has(id))
				this.#addSpans(spans.get(id), track.isActive ? null : id);
			spans.delete(id);
		}
		for (const [id, track] of spans) {
			if (isChosen(id))
				this.#addSpans(track, id);
		}
		this.#addIdle(idle);
	}

	#addThread(track, parent = this.#chart.element) {
		this.#threads.push(track);
		this.#chart.add(track, `Thread ${track.title}`, [this.#threadButton(track.thread, track.title)], 'lane', parent);
	}

	#threadButton(id, text) {
		return element('button', { type: 'button', class: 'lane-name', title: 'Show only this thread',
			onclick: () => changeAddress({ threads: `0x${id.toString(16)}` }) }, text);
	}

	// Threads that were only there are folded, if others were not.
	#addIdle(tracks) {
		if (tracks.length === 0)
			return;
		const isOnly = this.#threads.length === 0 && this.#spans.length === 0 && this.#context.selection.threads !== undefined;
		const group = element('details', { class: 'track-group' }, element('summary', {}, `${countOf(tracks.length, 'thread')} without activity`));
		group.open = isOnly;
		this.#chart.element.append(group);
		for (const track of tracks)
			this.#addThread(track, group);
	}

	#drawTools() {
		const { window } = this.#chart;
		this.#tools.replaceChildren(timeFields(this.#context.selection),
			element('button', { type: 'button', onclick: () =>
				changeAddress({ from: Math.floor(window.from), to: Math.ceil(window.to) }) }, 'Select what is shown'),
			element('button', { type: 'button', onclick: () => this.#chart.show(window.start, window.end) }, 'Show the whole run'),
			element('button', { type: 'button', onclick: () =>
				saveFile(fileName('timeline.svg'), 'image/svg+xml', this.#chart.svg()) }, 'Save as SVG'), this.#note, element('span', { class: 'legend-line' }, ...legend(this.#used)));
	}

	// What is shown has changed: once it rests, calls are asked for, and the address is changed.
	#rest() {
		clearTimeout(this.#timer);
		clearTimeout(this.#addressTimer);
		this.#timer = setTimeout(() => this.#load(), restTime);
		this.#addressTimer = setTimeout(() => this.#store(), addressTime);
	}

	#store() {
		if (!this.#chart.element.isConnected || readAddress().view !== timelineView.id)
			return;
		const { window } = this.#chart;
		const time = (value) => (window.isWhole ? null : String(Number(value.toFixed(1))));
		changeAddress({ t0: time(window.from), t1: time(window.to) }, true);
	}

	async #load() {
		const { window, element: shown } = this.#chart;
		if (!shown.isConnected || this.#threads.length === 0 || !this.#hasCalls)
			return;
		if (window.from >= this.#loaded.from && window.to <= this.#loaded.to)
			return;
		const { client, selection, isReading } = this.#context;
		// While the log arrives, the view is drawn again and again: only what the user looks at is read.
		if (isReading && window.isWhole)
			return;
		const log = client.logNumber;
		if (lastCalls?.log === log) {
			this.#setCalls(lastCalls.answer);
			return;
		}
		const from = Math.max(window.start, window.from - margin * window.length);
		const to = Math.min(window.end, window.to + margin * window.length);
		const key = `${from} ${to}`;
		if (this.#asked === key)
			return;
		this.#asked = key;
		this.#note.textContent = 'Reading single calls.';
		try {
			const answer = await client.ask('calls', { from, to, threads: selection.threads });
			if (answer.isWhole && answer.from === -Infinity)
				lastCalls = { log, answer };
			this.#setCalls(answer);
		} catch (error) {
			this.#note.textContent = `Single calls cannot be read: ${error.message}`;
		}
	}

	#setCalls({ from, to, rows, names, methods, tooMany, folded, isWhole }) {
		if (tooMany !== undefined) {
			this.#note.textContent = `Zoom in to see single calls: there are about ${countText(tooMany)} in this time.`;
			return;
		}
		this.#loaded = isWhole || from !== -Infinity ? { from, to } : { from: NaN, to: NaN };
		this.#methods = methods;
		for (const track of this.#threads)
			track.setCalls(rows.filter(({ thread }) => thread === track.thread), names, methods);
		const notes = [];
		if (folded > 0)
			notes.push(`${countText(folded)} calls are deeper than what is shown.`);
		if (rows.some(({ isSampled }) => isSampled))
			notes.push('Boxes of samples are consecutive samples with the same frames, not single calls.');
		this.#note.textContent = notes.join(' ') + this.#shortSpans;
		this.search(this.#context.address.search ?? '');
		this.#chart.choose(null, null);
		this.#chart.resize();
		document.body.dataset.calls = String(rows.reduce((sum, { depths }) => sum + depths.reduce((all, { start }) => all + start.length, 0), 0));
	}

	search(text) {
		const wanted = text.trim().toLowerCase();
		const isMatch = wanted === '' ? null : (name) => name.toLowerCase().includes(wanted);
		for (const track of [...this.#threads, ...this.#spans])
			track.setMatches(isMatch);
		this.#chart.redraw();
	}

	#describe(found, track) {
		if (found === null) {
			this.#status.replaceChildren(help);
			return;
		}
		const method = this.#methods[found.name] ?? 0;
		this.#status.replaceChildren(element('span', { id: 'chosen', 'data-start': found.from, 'data-end': found.to }, found.text), ' ',
			element('button', { type: 'button', onclick: () => this.#chart.zoomToChosen() }, 'Zoom to it'), ' ',
			element('button', { type: 'button', onclick: () => changeAddress({ from: Math.floor(found.from), to: Math.ceil(found.to),
				...(track.thread === undefined ? {} : { threads: `0x${track.thread.toString(16)}` }) }) }, 'Select its time'), ' ',
			method > 0 ? element('a', { href: linkTo('methods', { method }) }, 'Callers and callees') : '');
	}

	// Follows changes of the address; returns whether the view need not be drawn again.
	apply(address, changed, selection) {
		if (changed.some((name) => !['t0', 't1', 'from', 'to', 'search', 'metrics'].includes(name)))
			return false;
		this.#context = { ...this.#context, address, selection };
		const { window } = this.#chart;
		if (changed.includes('from') || changed.includes('to')) {
			this.#chart.select(selection);
			this.#drawTools();
		}
		if (changed.includes('search'))
			this.search(address.search ?? '');
		const isSame = (text, value) => Math.abs(Number(text) - value) < 1;
		if (address.t0 === undefined && changed.includes('t0') && !window.isWhole)
			this.#chart.show(window.start, window.end);
		else if (address.t0 !== undefined && !(isSame(address.t0, window.from) && isSame(address.t1, window.to)))
			this.#chart.show(Number(address.t0), Number(address.t1));
		return true;
	}
}

export const timelineView = {
	id: 'timeline',
	title: 'Timeline',
	isFilled: ({ totals, rows }) => totals.calls > 0 || totals.samples > 0 ||
		['thread_states', 'pauses', 'marks', 'collections', 'spans', 'metrics', 'heap_resizes'].some((name) => rows[name] > 0) || rows.heap_shots > 1,
	draw: (container, context) => new TimelineView(context).draw(container),
};
