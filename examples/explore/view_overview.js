// SPDX-License-Identifier: MIT
// The overview: what kind of log it is, what stands out, and what was lost.
import { linkTo } from './address.js';
import { element } from './dom.js';
import { bytesText, countOf, countText, figureText } from './figures.js';
import { columnOf } from './table.js';

const figures = [
	['wall_ns', 'wall time'], ['method_ns', 'time in methods'], ['calls', 'calls'],
	['samples', 'samples'], ['allocations', 'objects allocated'],
	['allocated_bytes', 'bytes allocated'], ['freed_objects', 'objects freed'],
	['freed_bytes', 'bytes freed'], ['collections', 'collections'],
	['gc_ns', 'time collecting'], ['jit_methods', 'methods compiled'],
	['jit_ns', 'time compiling'], ['jit_failures', 'failed compilations'],
	['exceptions', 'exceptions'], ['contentions', 'waits for monitors'],
	['contended_ns', 'time waiting for them'], ['unfinished_waits', 'waits that have not ended'], ['finalizers', 'objects finalized'],
	['finalizer_ns', 'time in finalizers'], ['handles_alive', 'handles alive'],
	['moved_objects', 'objects moved'], ['unclosed_frames', 'calls without an end'],
	['interrupted_frames', 'calls open when recording stopped'],
	['unmatched_leaves', 'ends of calls without a start'],
	['class_load_failures', 'classes that failed to load'], ['lost_events', 'events lost'],
	['events', 'events'],
];

function list(entries) {
	return element('dl', { class: 'figures' }, ...entries.map(([name, text, value, key]) =>
		element('div', {}, element('dt', {}, name), element('dd', { 'data-key': key, 'data-value': value }, text))));
}

// What limits the figures: damage, limits, and why events were lost, which a finding states, as sentences.
function findLimits(overview) {
	const { totals, session, faults, faultCount, lost, gzipFault, snapshots } = overview;
	const limits = [];
	if (totals.lost_events > 0) {
		const causes = Object.entries(lost).map(([cause, count]) => `${cause}: ${countText(count)}`).join(', ');
		limits.push(`Causes of losses: ${causes}.`);
	}
	if (gzipFault !== null)
		limits.push(`The file: ${gzipFault}. What is before that was read.`);
	for (const fault of faults.slice(0, 5))
		limits.push(`Damage at offset ${countText(fault.offset)}: ${fault.what}.`);
	if (faultCount > 5)
		limits.push(`${countOf(faultCount - 5, 'more damaged place')}.`);
	if (overview.finished && session.complete === 0 && faultCount === 0)
		limits.push('The log has no end: the program was killed or is still running.');
	if (totals.limited !== 0)
		limits.push('The profile reached its limit of memory: call paths or call sites are missing from the trees and tables.');
	const incomplete = snapshots.number.filter((number, i) => snapshots.incomplete[i] !== 0);
	if (incomplete.length > 0)
		limits.push(`Heap snapshots that are incomplete: ${Array.from(incomplete).join(', ')}.`);
	if (totals.calls > 0 && overview.precompiled.length > 0)
		limits.push(`Calls in precompiled code are missing (${overview.precompiled.join(', ')}).`);
	return limits;
}

// The view that shows more about a section of the report.
const viewOfSection = { methods: 'methods', tree: 'flame', 'sample-tree': 'flame', samples: 'flame', allocations: 'classes', heap: 'heap',
	'allocation-sites': 'sites', memory: 'memory', handles: 'handles', collections: 'collections', pauses: 'timeline', locks: 'monitors',
	exceptions: 'exceptions', compilation: 'methods', spans: 'spans', waits: 'spans', threads: 'threads', metrics: 'metrics', timeline: 'timeline' };

// Kinds of findings about what the log lacks.
const limitKinds = ['loss', 'sampling'];

// The findings of the library, as {view, text, command, isLimit}.
function readFindings(rows) {
	return rows.map(({ kind, text, command, section }) => ({ text, command, view: viewOfSection[section] ?? null,
		isLimit: limitKinds.includes(kind) }));
}

function findingItem({ view, text, command }, filled) {
	return element('li', {}, !filled.some(({ id }) => id === view) ? text : element('a', { href: linkTo(view) }, text),
		command ? element('div', {}, element('code', { class: 'faint' }, command)) : null);
}

// Where to look if nothing stands out.
function listContents(filled) {
	const views = filled.filter(({ id }) => id !== overviewView.id && id !== 'compare');
	return element('li', {}, ...(views.length === 0 ? ['The log has no events.'] : ['No single method, class or pause stands out. The log has: ',
		...views.flatMap(({ id, title }, i) => [i > 0 ? ', ' : '', element('a', { href: linkTo(id) }, title)]), '.']));
}

function describeSession({ session, bytes, threads, methods, classes, version }) {
	const start = session.start_time_us > 0 ? new Date(session.start_time_us / 1000).toISOString().replace('T', ' ') : null;
	return [
		['dialect', session.dialect_name, session.dialect_name, 'dialect'],
		['runtime', session.runtime || 'not recorded', session.runtime, 'runtime'],
		['complete', session.complete ? 'yes' : 'no', session.complete, 'complete'],
		['size of the log', bytesText(bytes), bytes, 'size'],
		['start (UTC)', start ?? 'not recorded', session.start_time_us, 'start_time_us'],
		['threads', countText(threads), threads, 'threads'],
		...[['methods defined', methods, 'defined_methods'], ['classes', classes, 'defined_classes']].filter(([, count]) => count > 0)
			.map(([name, count, key]) => [name, countText(count), count, key]),
		['read with libmprof', version, version, 'version'],
	];
}

export const overviewView = {
	id: 'overview',
	title: 'Overview',
	async draw(container, { client, selection, address, filled }) {
		const words = (address.search ?? '').toLowerCase().split(/\s+/).filter((word) => word !== '');
		const matches = (entry) => words.every((word) => entry.slice(0, 2).some((text) => String(text).toLowerCase().includes(word)));
		const listed = (entries) => list(entries.filter(matches));
		const [overview, { rows }] = await Promise.all([client.ask('overview', { selection }),
			client.ask('findings', { selection, log: document.title })]);
		const { totals } = overview;
		const found = readFindings(rows);
		const notable = found.filter(({ isLimit }) => !isLimit);
		const limits = findLimits(overview).map((text) => ({ text, view: null, command: null }));
		const missing = [...found.filter(({ isLimit }) => isLimit), ...limits];
		container.replaceChildren(
			element('h2', {}, 'What stands out'),
			element('ul', { class: 'findings' }, ...notable.map((finding) => findingItem(finding, filled)), notable.length === 0 ? listContents(filled) : null),
			element('h2', {}, 'What is missing'),
			element('ul', { class: 'findings', id: 'limits' }, ...missing.map((limit) => findingItem(limit, filled)), missing.length > 0 ? null : element('li', {},
				overview.finished ? 'The log is complete: it has an end, no damage was found, and no events were lost.'
					: 'The log is still being read: so far, no damage was found, and no events were lost.')),
			element('h2', {}, 'Totals'),
			listed(figures.filter(([key]) => totals[key] > 0).map(([key, title]) =>
				[title, figureText(totals[key], columnOf(totals, key).unit), totals[key], key])),
			element('h2', {}, 'Log'), listed(describeSession(overview)),
			element('h2', {}, 'Events'),
			listed(Object.entries(overview.events).map(([name, count]) => [name, countText(count), count, `event ${name}`])),
			element('h2', {}, 'Blocks'),
			listed(Object.entries(overview.blocks).map(([name, count]) => [name, countText(count), count, `block ${name}`])),
			...(overview.properties.length === 0 ? [] : [element('h2', {}, 'Recorded about the program'),
				listed(overview.properties.key.map((key, i) => [key, overview.properties.value[i] ?? '']))]));
	},
};
