// SPDX-License-Identifier: MIT
// Heap snapshots: classes, what keeps the objects of a class alive, what dominates them, and the difference of two.
import { changeAddress, linkTo } from './address.js';
import { element, fileName, saveFile } from './dom.js';
import { bytesText, countText, figureText, timeText } from './figures.js';
import { FlameGraph } from './flame_graph.js';
import { FrameForest } from './flame_layout.js';
import { pathList } from './path_list.js';
import { DataTable } from './table.js';
import { Treemap } from './treemap.js';
import { emptyText } from './view_tables.js';

// Drawings of the tree of dominators.
const dominatorParts = ['treemap', 'dominators'];

const heapFigures = [
	['objects', 'objects', 'count'], ['bytes', 'bytes', 'bytes'], ['reachable_objects', 'reachable objects', 'count'],
	['reachable_bytes', 'reachable bytes', 'bytes'], ['references', 'references', 'count'], ['roots', 'roots', 'count'],
	['missing_references', 'references to no object', 'count'], ['missing_roots', 'roots of no object', 'count'],
	['orphan_references', 'references of no object', 'count'], ['repeated_objects', 'objects left out', 'count'],
	['damaged_blocks', 'damaged blocks', 'count'],
];

// What is missing in a snapshot, as sentences.
function findMissing({ totals, problem }, shot) {
	const missing = [];
	if (totals.limited !== 0)
		missing.push(`Snapshot ${shot} needs more memory than this page has: its objects are not known.`);
	else if (totals.incomplete !== 0)
		missing.push(`Snapshot ${shot} is incomplete: objects, references or roots are missing. Objects may be reachable that ` +
			'seem not to be, and retained sizes may be too small or too large.');
	if (totals.has_roots === 0 && totals.limited === 0 && totals.objects > 0)
		missing.push(`The log has no roots for snapshot ${shot}: what keeps objects alive and what they retain is not known.`);
	if (problem !== null)
		missing.push(`What keeps the objects of snapshot ${shot} alive and what they retain could not be computed: ${problem}.`);
	return missing.map((text) => element('p', { class: 'warning' }, text));
}

function snapshotChoice(title, snapshots, chosen, none, change) {
	const options = Array.from({ length: snapshots.length }, (_, i) => element('option', { value: i + 1, selected: i + 1 === chosen },
		`${i + 1}: ${timeText(snapshots.time_ns[i])}, ${bytesText(snapshots.bytes[i])}` +
		(snapshots.incomplete[i] !== 0 ? ', incomplete' : '')));
	return element('label', {}, `${title} `, element('select', { onchange: (event) => change(event.target.value) },
		...(none === null ? [] : [element('option', { value: '' }, none)]), ...options));
}

function figureList(totals, roots, isKnown) {
	const shown = heapFigures.filter(([key]) => totals[key] > 0 && (isKnown || !key.startsWith('reachable')));
	const rows = shown.map(([key, title, unit]) => [title, figureText(totals[key], unit), totals[key], key]);
	for (const [kind, count] of Object.entries(roots))
		rows.push([`${kind} roots`, countText(count), count, `root ${kind}`]);
	return element('dl', { class: 'figures' }, ...rows.map(([title, text, value, key]) =>
		element('div', {}, element('dt', {}, title), element('dd', { 'data-key': key, 'data-value': value }, text))));
}

function drawClasses({ classes, totals, roots, isKnown }, { address }) {
	const columns = [{ title: 'Class', unit: 'text', values: classes.name },
		...(isKnown ? [{ title: 'Retained', unit: 'bytes', values: classes.retained_bytes }] : []),
		{ title: 'Bytes', unit: 'bytes', values: classes.bytes }, { title: 'Objects', unit: 'count', values: classes.objects },
		...(isKnown ? [{ title: 'Reachable bytes', unit: 'bytes', values: classes.reachable_bytes },
			{ title: 'Reachable objects', unit: 'count', values: classes.reachable_objects }] : [])];
	const activate = isKnown ? (row) => changeAddress({ class: classes.class_id[row], search: null }) : null;
	const table = new DataTable(classes.length, columns, { name: 'heap-classes', title: 'Classes of the heap snapshot',
		search: address.search, sort: isKnown ? 'Retained' : 'Bytes', activate });
	return [figureList(totals, roots, isKnown), element('div', { class: 'tools' }, ...table.tools,
		isKnown ? element('span', { class: 'faint' }, 'A row opens the paths from roots to the objects of a class.') : null),
	table.element];
}

async function drawPaths({ classes }, { client, address }, shot) {
	const id = Number(address.class);
	const row = classes.class_id.indexOf(id);
	const back = element('div', { class: 'tools' }, element('a', { href: linkTo('heap', { shot: address.shot }) }, 'All classes'));
	if (row < 0)
		return [back, element('p', {}, 'This snapshot has no objects of the class.')];
	const { paths, count } = await client.ask('heapPaths', { shot, id });
	const text = `${countText(classes.objects[row])} objects with ${bytesText(classes.bytes[row])}, which retain ` +
		`${bytesText(classes.retained_bytes[row])}; roots reach ${countText(classes.reachable_objects[row])} of them.`;
	return [back, element('h2', {}, classes.name[row]), element('p', {}, text), ...pathList(paths, count)];
}

// Rows of both snapshots by the name of the class, with what they were before and after.
function joinClasses(before, after, fields) {
	const rows = new Map();
	[before, after].forEach(({ classes }, side) => {
		classes.name.forEach((name, i) => {
			const row = rows.get(name) ?? { name, sides: fields.map(() => [0, 0]) };
			fields.forEach((field, at) => {
				row.sides[at][side] += classes[field][i];
			});
			rows.set(name, row);
		});
	});
	return Array.from(rows.values());
}

function drawDifference(before, after, { address }) {
	const units = [['bytes', 'bytes', 'Bytes'], ['objects', 'count', 'Objects'],
		...(before.isKnown && after.isKnown ? [['retained_bytes', 'bytes', 'Retained']] : [])];
	const rows = joinClasses(before, after, units.map(([field]) => field));
	const columns = [{ title: 'Class', unit: 'text', values: rows.map(({ name }) => name) }];
	units.forEach(([, unit, title], at) => {
		const pairs = rows.map(({ sides }) => sides[at]);
		columns.push({ title: `${title} grown`, unit, values: pairs.map(([a, b]) => b - a) },
			{ title, unit, values: pairs.map(([, b]) => b) });
	});
	const table = new DataTable(rows.length, columns, { name: 'heap-difference', title: 'Difference of two heap snapshots',
		search: address.search, sort: 'Bytes grown' });
	return [element('div', { class: 'tools' }, ...table.tools, element('span', { class: 'faint' },
		'Classes of the same name are one row.')), table.element];
}

async function drawDominators({ client, address }, shot) {
	const forest = new FrameForest(await client.ask('heapTree', { shot }));
	const isMap = address.part === 'treemap';
	const graph = new (isMap ? Treemap : FlameGraph)(forest, { unit: 'bytes', countName: 'objects', search: address.search, zoomed: address.zoom,
		title: 'Dominators', noun: 'classes', look: 'class', onZoom: (zoom) => changeAddress({ zoom }) });
	const apply = (now, changed) => {
		if (changed.some((name) => name !== 'zoom' && name !== 'search'))
			return false;
		if (changed.includes('search'))
			graph.search(now.search ?? '');
		graph.show(now.zoom ?? '');
		return true;
	};
	const explanation = `Each box is what objects of a class retain; the boxes ${isMap ? 'in' : 'below'} it are what they dominate: ` +
		`every path from a root to that leads through them. The ${isMap ? 'outermost boxes are' : 'first row has'} objects that no ` +
		'single object dominates.';
	return { apply, parts: [element('p', { class: 'faint' }, explanation), element('div', { class: 'tools' },
		element('button', { type: 'button', onclick: () => changeAddress({ zoom: null }) }, 'Show all'),
		element('button', { type: 'button', onclick: () =>
			saveFile(fileName(`${address.part}.svg`), 'image/svg+xml', graph.svg()) }, 'Save as SVG')), graph.status, graph.element] };
}

function partButton(title, part, current) {
	return element('button', { type: 'button', 'aria-pressed': part === current ? 'true' : 'false',
		onclick: () => changeAddress({ part, base: null, class: null, zoom: null }) }, title);
}

function drawTools(snapshots, shot, base, address) {
	const part = base !== 0 ? 'difference' : dominatorParts.includes(address.part) ? address.part : null;
	return element('div', { class: 'tools' },
		snapshotChoice('Snapshot', snapshots, shot, null, (value) => changeAddress({ shot: value, zoom: null })),
		snapshotChoice('Difference from', snapshots, base, 'no other', (value) => changeAddress({ base: value, class: null, part: null, zoom: null })),
		partButton('Classes', null, part), partButton('Treemap', 'treemap', part),
		partButton('Dominators', 'dominators', part));
}

function numberIn(text, most) {
	const number = Number(text ?? 0);
	return Number.isInteger(number) && number > 0 && number <= most ? number : 0;
}

// Fills the view with what the address asks for. Returns the part that follows changes of the address, if any.
async function drawPart(context, heap, base, shot) {
	const { address } = context;
	if (base !== null)
		return { parts: drawDifference(base, heap, context) };
	if (dominatorParts.includes(address.part))
		return heap.isKnown ? drawDominators(context, shot) : { parts: [] };
	if (address.class !== undefined && heap.isKnown)
		return { parts: await drawPaths(heap, context, shot) };
	return { parts: drawClasses(heap, context) };
}

export const heapView = {
	id: 'heap',
	title: 'Heap',
	isFilled: ({ rows }) => rows.heap_shots > 0,
	async draw(container, context) {
		const { client, address, selection } = context;
		const { snapshots } = await client.ask('overview', {});
		if (snapshots.length === 0) {
			container.replaceChildren(emptyText('--heap'));
			return null;
		}
		const shot = numberIn(address.shot, snapshots.length) || snapshots.length;
		const base = numberIn(address.base, snapshots.length);
		const tools = drawTools(snapshots, shot, base, address);
		const heap = await client.ask('heap', { shot });
		const other = base === 0 ? null : await client.ask('heap', { shot: base });
		const { parts, apply } = await drawPart(context, heap, other, shot);
		const isLimited = Object.keys(selection).length > 0;
		container.replaceChildren(tools, ...(other === null ? [] : findMissing(other, base)), ...findMissing(heap, shot),
			heap.isWhole ? '' : element('p', { class: 'warning' }, 'The log is still being read: objects of the last snapshot may follow.'),
			isLimited ? element('p', { class: 'faint' }, 'The selection of time and threads does not limit snapshots.') : '', ...parts);
		return apply === undefined ? null : { apply };
	},
};
