// SPDX-License-Identifier: MIT
// Lines of the source by samples and allocations: as a table, and in their file once that was dropped onto the page.
import { changeAddress } from './address.js';
import { element } from './dom.js';
import { countOf, countText, figureText } from './figures.js';
import { DataTable, columnOf } from './table.js';

// Larger files are no sources, in bytes.
const largestSource = 4 << 20;

// The figures of a line: title and column of the table of lines.
const lineFigures = [['Samples', '@self'], ['With callees', '@total'], ['Bytes', 'bytes'], ['Objects', 'allocations']];

function baseName(path) {
	return (path ?? '').split(/[/\\]/).at(-1);
}

/** Source files that the user gave to the page, by their names without directories. */
export class Sources {
	#files = new Map();

	/** Takes a file if lines are known of one with its name. Returns whether they are. */
	async take(file, client) {
		const { file: files } = await client.ask('table', { selection: {}, name: 'lines' });
		if (file.size > largestSource || !files.some((path) => baseName(path) === file.name))
			return false;
		this.#files.set(file.name, (await file.text()).split(/\r?\n/));
		return true;
	}

	/** The lines of a file, null if the page does not have it. */
	linesOf(path) {
		return this.#files.get(baseName(path)) ?? null;
	}

	clear() {
		this.#files.clear();
	}
}

// The figures of the lines of a file: a map from the line to the sums of its methods.
function sumLines(rows, path, used) {
	const sums = new Map();
	rows.file.forEach((file, i) => {
		if (file !== path)
			return;
		const sum = sums.get(rows.line[i]) ?? used.map(() => 0);
		sums.set(rows.line[i], sum);
		used.forEach(({ values }, at) => { sum[at] += values[i]; });
	});
	return sums;
}

// The lines of a file, with a ground the stronger the more a line has of the first figure.
function drawSource(lines, sums, used) {
	const most = Math.max(1, ...Array.from(sums.values(), ([first]) => first));
	let hottest = null;
	const rows = lines.map((text, i) => {
		const sum = sums.get(i + 1);
		const heat = (sum?.[0] ?? 0) / most;
		const row = element('tr', { 'data-line': i + 1, class: heat > 0 ? 'hot' : null }, ...used.map(({ unit }, at) => element('td', { class: at === 0 ? 'number' : 'number further' },
			sum?.[at] > 0 ? figureText(sum[at], unit) : '')), element('td', { class: 'number faint' }, String(i + 1)),
		element('td', { class: 'code' }, text));
		if (heat > 0)
			row.style.background = `color-mix(in srgb, var(--heat) ${Math.round(12 + 78 * heat)}%, transparent)`;
		if (heat === 1)
			hottest ??= row;
		return row;
	});
	const table = element('div', { class: 'table source' }, element('table', { 'aria-label': 'Source' }, element('thead', {}, element('tr', {},
		...[...used.map(({ title }) => title), 'Line', 'Source'].map((title, i) =>
			element('th', { scope: 'col', class: i > used.length ? 'name rest' : i > 0 && i < used.length ? 'number further' : 'number' }, title)))), element('tbody', {}, ...rows)));
	requestAnimationFrame(() => hottest?.scrollIntoView({ block: 'center' }));
	return table;
}

function fileChoice(files, chosen) {
	return element('label', {}, 'File ', element('select', { onchange: (event) => changeAddress({ file: event.target.value }) },
		element('option', { value: '' }, `all (${countText(files.length)})`),
		...files.map((path) => element('option', { value: path, selected: path === chosen }, baseName(path)))));
}

export const linesView = {
	id: 'lines',
	title: 'Lines',
	isFilled: ({ rows }) => rows.lines > 0,
	async draw(container, { client, selection, address, sources }) {
		const rows = await client.ask('table', { selection, name: 'lines' });
		const used = lineFigures.map(([title, wanted]) => ({ title, ...columnOf(rows, wanted) }))
			.filter(({ values }) => values.some((value) => value > 0));
		const files = [...new Set(rows.file.filter((path) => path !== null))];
		const path = files.find((file) => file === address.file || baseName(file) === address.file) ?? null;
		const source = path === null ? null : sources.linesOf(path);
		if (source !== null && used.length > 0) {
			const sums = sumLines(rows, path, used);
			container.replaceChildren(element('div', { class: 'tools' }, fileChoice(files, path),
				element('span', { class: 'faint' }, `${path}: ${countOf(sums.size, 'line')} with figures`)), drawSource(source, sums, used));
			return;
		}
		const shown = Array.from(rows.line.keys()).filter((i) => path === null || rows.file[i] === path);
		const pick = (values) => shown.map((i) => values[i]);
		const columns = [{ title: 'Line', unit: 'text', values: shown.map((i) =>
			`${baseName(rows.file[i]) || 'unknown'}:${rows.line[i]}, ${rows.id_text[i] ?? 'unknown'}`) },
		...used.map((column) => ({ ...column, values: pick(column.values) }))];
		const table = new DataTable(shown.length, columns, { name: 'lines', title: 'Lines of the source', search: address.search,
			sort: used[0]?.title ?? 'Line', activate: (row) => rows.file[shown[row]] !== null && changeAddress({ file: rows.file[shown[row]] }) });
		container.replaceChildren(element('div', { class: 'tools' }, fileChoice(files, path), ...table.tools, element('span', { class: 'faint' },
			path === null ? 'A row opens its file.' : `Drop ${baseName(path)} onto this page to see these figures in the source.`)), table.element);
	},
};
