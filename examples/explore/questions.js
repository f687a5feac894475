// SPDX-License-Identifier: MIT
// What the views ask of a log: tables with names, and trees of frames, for a selection of time and threads. Runs in the
// worker.
import { EventQuestions } from './event_questions.js';
import { mergeNodes } from './frame_nodes.js';
import { HeatQuestions } from './heat_questions.js';
import { HeapQuestions } from './heap_questions.js';
import { NativeLines } from './native_lines.js';
import { ellipsis, shortName } from './short_name.js';
import { TimelineQuestions } from './timeline_questions.js';

// Profiles of selections that are kept.
const mostProfiles = 6;

// Columns that are IDs, and what they identify, for all tables and for some.
const namedColumns = { class_id: 'class', method: 'method', stack: 'stack', thread: 'thread' };
const namedColumnsOf = {
	methods: { id: 'method' }, classes: { id: 'class' }, threads: { id: 'thread' }, samples: { id: 'frame' },
	event_types: { form: 'form' }, handles: { type: 'handle' }, handle_sites: { type: 'handle' }, nodes: { id: 'frame' },
	callers: { id: 'frame' }, callees: { id: 'frame' }, lines: { id: 'frame' },
};

// Characters of a name in a sentence.
const longestNameInSentence = 56;

// Frames of a call stack that are shown in a row.
const mostFrames = 3;

/** Whether a type of events is one whose events are in another view, as states of threads are (doc/format.md, 4.11). */
const isMeaning = (name) => name?.startsWith('mprof.') ?? false;

/** Options of all profiles: allocations and waits without a call stack have a node of the call tree. */
export const profileOptions = { timelineSlices: 1200, maxSpans: 50000, withCallSites: true, foldIdle: true };

function keyOf(selection) {
	return JSON.stringify([selection.from ?? null, selection.to ?? null, (selection.threads ?? []).map(String)]);
}

export class Questions {
	#mprof;
	#log;
	#whole;
	#heap;
	#events;
	#timeline;
	#heat;
	#profiles = new Map();
	#onWork;
	#lines = new NativeLines();

	/** onWork(done, total) is called while a question reads the log once more; total is 0 if it is not known. */
	constructor(mprof, log, whole, onWork = () => {}) {
		this.#onWork = onWork;
		this.#mprof = mprof;
		this.#log = log;
		this.#whole = whole;
		this.#heap = new HeapQuestions(mprof, log);
		this.#events = new EventQuestions(mprof, log, whole);
		this.#heat = new HeatQuestions(log, whole, onWork);
		this.#timeline = new TimelineQuestions(mprof, log, whole);
	}

	/** Lines and inlined functions of the native code in the log. */
	useLines(lines) {
		this.#lines = lines;
	}

	answer(question, parameters) {
		const answers = {
			overview: () => this.#overview(parameters),
			table: () => this.#table(parameters),
			frames: () => this.#frames(parameters),
			neighbours: () => this.#neighbours(parameters),
			events: () => this.#eventsOf(parameters),
			heat: () => this.#heat.ask(parameters),
			stack: () => this.#stack(parameters),
			findings: () => this.#findings(parameters),
		};
		return answers[question]?.() ?? this.#timeline.ask(question, parameters) ?? this.#heap.ask(question, parameters);
	}

	// The profile of a selection. That of the whole log grows while the log is read.
	async #profileOf(selection = {}, withLocations = false) {
		const key = keyOf(selection) + (withLocations ? ' locations' : '');
		if (key === keyOf({}))
			return this.#whole;
		const known = this.#profiles.get(key);
		if (known !== undefined) {
			this.#profiles.delete(key);
			this.#profiles.set(key, known);
			// While the log arrives, this adds what is new.
			if (known.status === 'again')
				await known.readAll();
			return known;
		}
		const options = { ...profileOptions, withLocations };
		if (selection.from !== undefined)
			options.windowStartNs = selection.from;
		if (selection.to !== undefined)
			options.windowEndNs = selection.to;
		// What a chosen thread waits in is of interest.
		if (selection.threads?.length > 0)
			Object.assign(options, { threads: selection.threads, foldIdle: false });
		const profile = this.#log.profile(options);
		await profile.readAll({ onProgress: this.#onWork });
		this.#keep(key, profile);
		return profile;
	}

	#keep(key, profile) {
		this.#profiles.get(key)?.close();
		this.#profiles.set(key, profile);
		for (const [other, old] of this.#profiles) {
			if (this.#profiles.size <= mostProfiles)
				break;
			this.#profiles.delete(other);
			old.close();
		}
	}

	// The functions at a location, which includes the inlined ones; null if nothing is known about it.
	#nativeFrames(view, { id, isNative }) {
		const found = isNative ? this.#lines.find(id, false) : [];
		return found.length === 0 ? null : found.map(({ name, line, file, isInlined }) => ({ line, file, isInlined, kind: 2, flags: isInlined ? 2 : 0,
			module: this.#moduleOf(view, 4, id), method: 0, name: name ?? view.frameName(4, id) ?? 'native code' }));
	}

	// All frames of a call stack, or of a path in the call tree if it has none, the innermost first.
	async #stack({ selection, stack, call }) {
		const view = await this.#profileOf(selection);
		if (stack > 0) {
			return { frames: view.stack(stack).flatMap((frame) => this.#nativeFrames(view, frame) ?? [frame].map(({ id, isNative, isInlined, isCompiling, line }) => ({ line, isInlined,
				kind: isNative ? 2 : 1, flags: (isCompiling ? 1 : 0) | (isInlined ? 2 : 0), module: isNative ? this.#moduleOf(view, 4, id) : null,
				method: isNative ? 0 : id,
				name: (isNative ? view.frameName(4, id) : view.readableMethodName(id)) ?? (isNative ? 'native code' : 'unknown') }))) };
		}
		const calls = view.table('calls');
		const frames = [];
		for (let at = call; at > 0; at = calls.parent[at]) {
			frames.push({ line: 0, isInlined: false, kind: 1, flags: 0, module: null, method: calls.method[at],
				name: view.readableMethodName(calls.method[at]) ?? 'unknown' });
		}
		return { frames };
	}

	// What the library found out about the run, the most important first. log: its name in commands.
	async #findings({ selection, log }) {
		const profile = await this.#profileOf(selection);
		const nameOf = (kind, id) => {
			const name = kind === 7 ? this.#nameOf(profile, 'class', id)
				: (kind === 4 ? this.#lines.find(id, false)[0]?.name : null) ?? this.#frameName(profile, kind, id);
			return name === null || kind === 3 ? null : shortName(name, longestNameInSentence).replaceAll(ellipsis, '...');
		};
		return { rows: profile.findings({ log, name: nameOf }) };
	}

	#frameNames(stack, view) {
		const frames = view.stack(stack).flatMap((frame) => this.#nativeFrames(view, frame) ??
			[{ name: frame.isNative ? view.frameName(4, frame.id) ?? 'native code' : view.readableMethodName(frame.id) ?? 'unknown' }]);
		return this.#joinFrames(frames.slice(0, mostFrames).map(({ name }) => name), frames.length);
	}

	#joinFrames(names, count) {
		return [...names, ...(count > names.length ? [`${count - names.length} more`] : [])].join(' < ');
	}

	// Where the log has no call stack, the call site is a node of the call tree, or the method that allocated.
	#addCallPaths(view, table) {
		const isNeeded = (i) => table.stack_text[i] === null && table.call[i] > 0;
		const calls = table.call.some((_, i) => isNeeded(i)) ? view.table('calls') : null;
		table.stack_text = table.stack_text.map((text, i) => {
			if (!isNeeded(i))
				return text ?? (table.caller?.[i] > 0 ? view.readableMethodName(table.caller[i]) : null);
			const names = [];
			let count = 0;
			for (let at = table.call[i]; at !== 0; at = calls.parent[at]) {
				if (count++ < mostFrames)
					names.push(view.readableMethodName(calls.method[at]) ?? 'unknown');
			}
			return this.#joinFrames(names, count);
		});
	}

	// The names of the processes of threads, as "awk (1895)", or "process #2" if no more is known; null in a log of one.
	#processNames(view, numbers) {
		const { length, number, system_id: ids, name } = view.table('processes');
		const nameOf = (i) => `${name[i] || 'process'} ${ids[i] > 0 ? `(${ids[i]})` : `#${i + 1}`}`;
		const names = new Map(length < 2 ? [] : Array.from(number, (key, i) => [key, nameOf(i)]));
		return Array.from(numbers, (key) => names.get(key) ?? null);
	}

	// In a log of several processes with that of the process.
	#threadNames(view) {
		const { id, name, process } = view.table('threads');
		const processes = this.#processNames(view, process);
		const nameOf = (key, text, of) => (of === null ? text : text !== null && of.startsWith(`${text} (`) ? of : `${text ?? key} of ${of}`);
		const keys = Array.from(id, (number) => `0x${number.toString(16)}`);
		return Object.fromEntries(keys.map((key, i) => [key, nameOf(key, name[i], processes[i])]).filter(([, text]) => text !== null));
	}

	#threadName(key, names) {
		return names[key] === undefined ? key : names[key].startsWith(`${key} `) ? names[key] : `${names[key]} (${key})`;
	}

	#nameOf(view, what, id, kind) {
		switch (what) {
		case 'class':
			return id === 0 ? null : view.className(id);
		case 'method':
			return id === 0 ? null : view.readableMethodName(id);
		case 'stack':
			return id === 0 ? null : this.#frameNames(id, view);
		case 'thread':
			return `0x${id.toString(16)}`;
		case 'form':
			return this.#mprof.formName(id);
		case 'handle':
			return this.#mprof.handleName(id);
		default:
			return this.#frameName(view, kind, id);
		}
	}

	#frameName(view, kind, id) {
		if (kind === 0)
			return null;
		if (kind === 2 && this.#lines.functionOf(id) !== undefined)
			return this.#lines.functionOf(id).name;
		if (kind === 5)
			return 'outer frames that were not recorded';
		if (kind === 1 && id === 0)
			return 'unknown';
		return (kind === 1 ? view.readableMethodName(id) : view.frameName(kind, id)) ?? 'unknown';
	}

	// The file of native code.
	#moduleOf(view, kind, id) {
		if (kind === 2 && this.#lines.functionOf(id) !== undefined)
			return this.#lines.functionOf(id).module;
		const place = kind === 2 ? 'function' : kind === 4 ? 'location' : null;
		const module = kind === 3 ? id : place === null ? 0 : view.definition(place, id)?.module ?? 0;
		return module === 0 ? null : view.frameName(3, module);
	}

	// Adds the columns of names to a table: NAME_text.
	#addNames(view, name, table) {
		const named = { ...namedColumns, ...namedColumnsOf[name] };
		const threadNames = table.thread === undefined ? {} : this.#threadNames(view);
		for (const [column, what] of Object.entries(named)) {
			if (table[column] === undefined)
				continue;
			const names = new Map();
			table[`${column}_text`] = Array.from(table[column], (id, i) => {
				const kind = what === 'frame' ? table.kind[i] : 0;
				const key = what === 'frame' ? `${kind} ${id}` : id;
				if (!names.has(key))
					names.set(key, column === 'thread' ? this.#threadName(`0x${id.toString(16)}`, threadNames) : this.#nameOf(view, what, id, kind));
				return names.get(key);
			});
		}
		if (table.stack_text !== undefined && table.call !== undefined)
			this.#addCallPaths(view, table);
		if (name === 'threads')
			table.process_text = this.#processNames(view, table.process);
		return table;
	}

	async #table({ selection, name, options }) {
		const profile = await this.#profileOf(selection);
		const table = this.#addNames(profile, name, profile.table(name, options));
		return { ...(name === 'event_types' ? this.#withoutMeanings(table) : table), columns: this.#mprof.columns(name) };
	}

	#withoutMeanings(table) {
		const kept = Array.from(table.name.keys()).filter((i) => !isMeaning(table.name[i]));
		return Object.fromEntries(Object.entries(table).map(([column, values]) =>
			[column, column === 'length' ? kept.length : typeof values === 'object' ? kept.map((i) => values[i]) : values]));
	}

	#counts(counts, nameOf) {
		const result = {};
		counts.forEach((count, kind) => {
			const text = count > 0 ? nameOf(kind) : null;
			if (text !== null)
				result[text] = (result[text] ?? 0) + count;
		});
		return result;
	}

	async #overview({ selection }) {
		const profile = await this.#profileOf(selection);
		const totals = profile.totals();
		const { event_counts: events, block_counts: blocks, lost_by_cause: lost, ...numbers } = totals;
		return {
			session: profile.session(), totals: { ...numbers, columns: this.#mprof.columns('totals') }, faults: this.#whole.faults.slice(0, 100),
			faultCount: this.#whole.faults.length, status: this.#whole.status, gzipFault: this.#log.gzipFault,
			bytes: this.#log.byteLength, finished: this.#log.finished,
			threads: profile.rowCount('threads'), methods: profile.methodCount, classes: profile.classCount,
			events: this.#counts(events, (kind) => this.#mprof.eventName(kind)),
			blocks: this.#counts(blocks, (kind) => this.#mprof.blockName(kind)),
			lost: this.#counts(lost, (kind) => this.#mprof.lossName(kind)),
			rows: { ...Object.fromEntries(this.#mprof.tableNames.map((name) => [name, profile.rowCount(name)])),
				event_types: profile.table('event_types').name.filter((name) => !isMeaning(name)).length },
			snapshots: profile.table('heap_shots'), properties: profile.table('properties'),
			memory: profile.row('memory'), threadNames: this.#threadNames(this.#whole), precompiled: this.#precompiled(profile), version: this.#mprof.version,
		};
	}

	// Files of precompiled code, whose calls are not recorded.
	#precompiled(profile) {
		const names = profile.table('elements').name.map((name) => /([^/]*\.(dll|exe))\.so$/.exec(name ?? '')?.[1]);
		return [...new Set(names.filter((name) => name !== undefined))];
	}

	async #eventsOf({ selection, block }) {
		const { from, to, threads } = selection;
		const counterAt = (time) => (time === undefined ? undefined : this.#whole.counterAt(time));
		const found = await this.#events.ask({ threads, from: counterAt(from), to: counterAt(to), block });
		return { ...found, isDamaged: this.#whole.faults.length > 0 };
	}

	// The functions of a node of a tree, the outermost first.
	#framesOf(view, nodes, node, isInnermost) {
		const { kind, id, flags, position } = Object.fromEntries(['kind', 'id', 'flags', 'position'].map((name) => [name, nodes[name][node]]));
		if (kind !== 4) {
			const isInlined = position > 0 && view.definition('position', position).is_inlined !== 0;
			return [{ kind, id, flags: isInlined ? 2 : flags }];
		}
		const { module = 0, function: own = 0 } = view.definition('location', id) ?? {};
		const outermost = own > 0 ? { kind: 2, id: own, flags } : module > 0 ? { kind: 3, id: module, flags } : { kind, id, flags };
		const found = this.#lines.find(id, isInnermost).reverse();
		const named = ({ name, isInlined }) => ({ kind: 2, id: this.#lines.idOf(name, this.#moduleOf(view, 4, id)), flags: isInlined ? 2 : 0 });
		return found.length === 0 ? [outermost]
			: found.filter(({ name, isInlined }) => name !== null || !isInlined).map((frame) => (!frame.isInlined && (own > 0 || frame.name === null) ? outermost : named(frame)));
	}

	// The nodes of a tree, and the names of its distinct frames: names[name[i]] is that of node i.
	async #frames({ selection, source, inverted }) {
		const withLocations = this.#lines.isKnown && source !== 'calls';
		const profile = await this.#profileOf(selection, withLocations && source === 'samples');
		const tree = profile.frameTree({ source, inverted, withLines: true, withLocations });
		const table = tree.table('nodes');
		const nodes = mergeNodes(table, (node, isInnermost) => this.#framesOf(profile, table, node, isInnermost && source === 'samples'), inverted);
		const places = new Map();
		const names = [];
		const modules = [];
		const name = new Uint32Array(nodes.length);
		for (let i = 0; i < nodes.length; i++) {
			const key = nodes.kind[i] * 4294967296 + nodes.id[i];
			let place = places.get(key);
			if (place === undefined) {
				place = names.length;
				places.set(key, place);
				names.push(this.#frameName(profile, nodes.kind[i], nodes.id[i]));
				modules.push(this.#moduleOf(profile, nodes.kind[i], nodes.id[i]));
			}
			name[i] = place;
		}
		tree.close();
		return { nodes, name, names, modules, folded: profile.totals().limited !== 0 };
	}

	// The frames that call a frame, and those that it calls.
	async #neighbours({ selection, source, kind, id }) {
		const profile = await this.#profileOf(selection);
		const tree = profile.frameTree({ source, choose: (k, i) => (k === kind && i === id ? 8 : 0) });
		const callers = this.#addNames(profile, 'callers', tree.table('callers'));
		const callees = this.#addNames(profile, 'callees', tree.table('callees'));
		tree.close();
		const { source_file: file = null, source_line: line = 0 } = (kind === 1 ? profile.method(id) : null) ?? {};
		return { callers, callees, name: this.#frameName(profile, kind, id), file, line };
	}
}
