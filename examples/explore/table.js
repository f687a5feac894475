// SPDX-License-Identifier: MIT
// A table that is sorted by its columns, filtered by the search text, and saved as CSV. Only visible rows are elements.
import { announce, element, fileName, saveFile } from './dom.js';
import { countOf, countText, figureText } from './figures.js';
import { shortName, shortStack } from './short_name.js';

const rowHeight = 24;
const rowsAround = 20;
const leastRows = 8;

// What a column takes of the width of a table, in pixels: figures, and each character of a name.
const figureWidth = 92;
const characterWidth = 6.9;

// A name has at least this many characters, and all names this share of the width.
const leastName = 18;
const leastShare = 0.28;

const shownUnits = { count: 'count', bytes: 'bytes', ns: 'ns', time: 'ns', text: 'text', number: 'count', value: 'count' };

// The field of a table that has a measure, as '@self'; other names are those of fields.
function fieldOf({ columns }, wanted) {
	return wanted.startsWith('@') ? columns.find(({ measure }) => measure === wanted.slice(1))?.name : wanted;
}

/**
 * The values of a column of rows of a table, and their unit as text, count, ns or bytes. wanted: a field, the field with a
 * measure, such as '@self', or a function that makes the values of the rows.
 */
export function columnOf(rows, wanted) {
	if (typeof wanted === 'function') {
		const values = wanted(rows);
		return { values, unit: values.some((value) => typeof value === 'string') ? 'text' : 'count' };
	}
	const field = fieldOf(rows, wanted);
	// Names that were added to the rows are texts.
	return { values: rows[field], unit: shownUnits[rows.columns.find(({ name }) => name === field)?.unit] ?? 'text' };
}

function compareRows(column, direction) {
	const { values } = column;
	// The largest differences come first, in either direction.
	const sizeOf = column.isSigned ? Math.abs : (value) => value;
	if (column.unit === 'text') {
		const order = new Intl.Collator('en').compare;
		return (a, b) => direction * order(values[a] ?? '', values[b] ?? '') || a - b;
	}
	return (a, b) => {
		const left = sizeOf(values[a] ?? -1);
		const right = sizeOf(values[b] ?? -1);
		return left === right ? a - b : direction * (left < right ? -1 : 1);
	};
}

// Texts that spreadsheets would take for formulas get an apostrophe.
function csvText(value) {
	if (value === null || value === undefined)
		return '';
	let text = String(value);
	if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text))
		text = `'${text}`;
	return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * columns: {title, unit, values}, the unit being text, count, ns or bytes; isSigned: positive figures have a sign; isStack: the
 * texts are call stacks; text(row) replaces the figure. options: name of the file to save, search text, column to sort by,
 * ascending, activate(row) for clicks and Enter, title, short.
 */
export class DataTable {
	#columns;
	#options;
	#rows = [];
	#sorted;
	#direction;
	#body = element('tbody');
	#scroll;
	#status = element('span', { class: 'faint' });
	#heads = [];
	#focused = 0;
	#nameWidth = 100;
	#figureRoom = 0;
	#characterWidth = characterWidth;

	constructor(length, columns, options = {}) {
		// What the row is about comes first and stays in view, other texts come last.
		const texts = columns.filter(({ unit }) => unit === 'text');
		columns = [...texts.slice(0, 1), ...columns.filter(({ unit }) => unit !== 'text'), ...texts.slice(1)];
		this.#columns = columns;
		this.#options = options;
		this.#sorted = Math.max(0, columns.findIndex(({ title }) => title === options.sort));
		this.#direction = options.ascending ?? columns[this.#sorted].unit === 'text' ? 1 : -1;
		this.#rows = this.#filter(length);
		this.#make();
		this.#sort();
	}

	#filter(length) {
		const words = (this.#options.search ?? '').toLowerCase().split(/\s+/).filter((word) => word !== '');
		const texts = this.#columns.filter(({ unit }) => unit === 'text');
		const rows = [];
		for (let i = 0; i < length; i++) {
			const matches = words.every((word) => texts.some(({ values }) => values[i]?.toLowerCase().includes(word)));
			if (matches)
				rows.push(i);
		}
		this.#status.textContent = rows.length === length
			? countOf(length, 'row') : `${countText(rows.length)} of ${countOf(length, 'row')}`;
		return rows;
	}

	#make() {
		// The last text has the rest of the width.
		const rest = this.#columns.findLastIndex(({ unit }) => unit === 'text');
		this.#heads = this.#columns.map(({ title, unit }, i) => element('th', { scope: 'col', class: `${unit === 'text' ? 'name' : 'number'}${i === rest ? ' rest' : ''}` },
			element('button', { type: 'button', onclick: () => this.#sortBy(i) }, title)));
		this.#scroll = element('div', { class: this.#options.short ? 'table short' : 'table', onscroll: () => this.#draw() },
			element('table', { 'aria-rowcount': this.#rows.length + 1, 'aria-label': this.#options.title ?? this.#options.name },
				element('thead', {}, element('tr', {}, ...this.#heads)), this.#body));
		// A page with several tables scrolls as a whole before a table becomes too small to scroll in.
		if (!this.#options.short)
			this.#scroll.style.minHeight = `${Math.min(leastRows, this.#rows.length + 1) * (rowHeight + 1) + 8}px`;
		this.#body.addEventListener('keydown', (event) => this.#move(event));
		this.tools = [this.#status, element('button', { type: 'button', onclick: () => this.#save() }, 'Save as CSV')];
		this.element = this.#scroll;
		new ResizeObserver(() => this.#draw()).observe(this.#scroll);
	}

	#sortBy(column) {
		this.#direction = column === this.#sorted ? -this.#direction : this.#columns[column].unit === 'text' ? 1 : -1;
		this.#sorted = column;
		this.#sort();
		announce(`Sorted by ${this.#columns[column].title}, ${this.#direction > 0 ? 'ascending' : 'descending'}`);
	}

	#sort() {
		this.#rows.sort(compareRows(this.#columns[this.#sorted], this.#direction));
		this.#heads.forEach((head, i) => {
			if (i === this.#sorted)
				head.setAttribute('aria-sort', this.#direction > 0 ? 'ascending' : 'descending');
			else
				head.removeAttribute('aria-sort');
		});
		this.#draw();
	}

	#cell(column, row) {
		const value = column.values[row];
		if (column.unit === 'text') {
			const text = value ?? (column.none ?? '');
			const shown = (column.isStack ? shortStack : shortName)(text, this.#nameWidth);
			return element('td', { class: 'name', 'data-value': shown === text ? null : text, title: shown === text ? null : text }, shown);
		}
		return element('td', { class: 'number', 'data-value': value, title: value === undefined ? null : countText(Number(value)) },
			column.text?.(row) ?? `${column.isSigned && value > 0 ? '+' : ''}${figureText(value, column.unit)}`);
	}

	#row(index) {
		const row = this.#rows[index];
		const { activate } = this.#options;
		return element('tr', {
			'data-index': index, 'aria-rowindex': index + 2, class: activate ? 'active' : null,
			tabindex: activate ? (index === this.#focused ? 0 : -1) : null, onclick: () => activate?.(row),
		}, ...this.#columns.map((column) => this.#cell(column, row)));
	}

	#space(rows) {
		const cell = element('td', { colspan: this.#columns.length });
		cell.style.height = `${rows * rowHeight}px`;
		return element('tr', { class: 'space', 'aria-hidden': 'true' }, cell);
	}

	// How many characters of names there is room for, beside the figures.
	#measureNames() {
		const texts = this.#columns.filter(({ unit }) => unit === 'text').length;
		const whole = this.#scroll.clientWidth || 1000;
		const figures = this.#figureRoom || (this.#columns.length - texts) * figureWidth;
		const width = Math.max(whole * leastShare, whole - figures - texts * 20);
		this.#nameWidth = Math.max(leastName, Math.floor(width / Math.max(1, texts) / this.#characterWidth));
	}

	// Names are shortened further if they or figures are wider than they usually are, and do not fit beside each other.
	#fitNames() {
		const { scrollWidth, clientWidth } = this.#scroll;
		if (clientWidth === 0 || scrollWidth <= clientWidth || this.#nameWidth <= leastName)
			return false;
		const widthOf = (isText) => this.#heads.reduce((sum, { offsetWidth }, i) =>
			sum + ((this.#columns[i].unit === 'text') === isText ? offsetWidth : 0), 0);
		const texts = this.#columns.filter(({ unit }) => unit === 'text').length;
		this.#figureRoom = Math.max(widthOf(false), this.#figureRoom);
		this.#characterWidth = Math.max(this.#characterWidth, (widthOf(true) / texts - 20) / this.#nameWidth);
		return true;
	}

	#draw() {
		this.#drawRows();
		if (this.#fitNames())
			this.#drawRows();
	}

	#drawRows() {
		this.#measureNames();
		const visible = Math.ceil((this.#scroll.clientHeight || 400) / rowHeight);
		const first = Math.max(0, Math.floor(this.#scroll.scrollTop / rowHeight) - rowsAround);
		const last = Math.min(this.#rows.length, first + visible + 2 * rowsAround);
		const focused = document.activeElement?.closest?.('tr')?.parentNode === this.#body;
		this.#body.replaceChildren(this.#space(first),
			...Array.from({ length: last - first }, (_, i) => this.#row(first + i)), this.#space(this.#rows.length - last));
		if (focused)
			this.#body.querySelector(`[data-index="${this.#focused}"]`)?.focus({ preventScroll: true });
	}

	// Arrow keys move between rows, Enter opens one.
	#move(event) {
		const index = Number(event.target.closest('tr')?.dataset.index);
		const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
		if (event.key === 'Enter')
			this.#options.activate?.(this.#rows[index]);
		if (steps[event.key] === undefined)
			return;
		event.preventDefault();
		this.#focused = Math.min(this.#rows.length - 1, Math.max(0, index + steps[event.key]));
		const top = this.#focused * rowHeight;
		const room = this.#scroll.clientHeight - 2 * rowHeight;
		if (top < this.#scroll.scrollTop)
			this.#scroll.scrollTop = top;
		else if (top > this.#scroll.scrollTop + room)
			this.#scroll.scrollTop = top - room;
		this.#draw();
		this.#body.querySelector(`[data-index="${this.#focused}"]`)?.focus({ preventScroll: true });
	}

	#save() {
		const lines = [this.#columns.map(({ title, unit }) => csvText(unit === 'ns' || unit === 'bytes' ? `${title} (${unit})` : title))];
		for (const row of this.#rows)
			lines.push(this.#columns.map(({ values }) => csvText(values[row])));
		saveFile(fileName(`${this.#options.name}.csv`), 'text/csv', `${lines.map((cells) => cells.join(',')).join('\n')}\n`);
	}
}
