// SPDX-License-Identifier: MIT
// The heat map: each column is one period of the run, such as a second, from top to bottom, so that what is different
// in some periods stands out. A selection of cells is a selection of time for all views.
import { changeAddress, linkTo } from './address.js';
import { isDarkTheme, legendParts } from './colors.js';
import { announce, element, fileName, saveFile } from './dom.js';
import { countText, timeText } from './figures.js';
import { SvgContext } from './svg_context.js';
import { tickCharacter } from './timeline_tracks.js';
import { emptyText } from './view_tables.js';

const heatValues = [
	{ id: 'active', title: 'In the state "running"', unit: 'ns' },
	{ id: 'running', title: 'In methods, not waiting for monitors or stopped', unit: 'ns',
		note: 'Calls that sleep or wait for anything but a monitor count: the log does not have how long they wait.' },
	{ id: 'methods', title: 'In methods, also waiting or stopped', unit: 'ns' },
	{ id: 'inactive', title: 'In other states than "running"', unit: 'ns' },
	{ id: 'waiting', title: 'Waiting for monitors', unit: 'ns' }, { id: 'stopped', title: 'World stopped', unit: 'ns' },
	{ id: 'runningSamples', title: 'Samples of threads that ran', unit: 'count', without: 'waitingSamples' },
	{ id: 'waitingSamples', title: 'Samples of threads that waited', unit: 'count' },
	{ id: 'samples', title: 'Samples', unit: 'count' },
];

const axisLeft = 64;
const axisBottom = 20;

function sumOf(values) {
	return values.reduce((sum, value) => sum + value, 0);
}

// From the ground to the strongest color.
function heatColor(share, isDark) {
	if (share <= 0)
		return isDark ? '#1c222a' : '#f3f5f7';
	const strength = Math.sqrt(Math.min(1, share));
	return isDark ? `hsl(${45 - 40 * strength} 90% ${18 + 44 * strength}%)` : `hsl(${48 - 44 * strength} 90% ${88 - 46 * strength}%)`;
}

// What the colors mean: the values of some, and what else is in the value.
function heatLegend(heat, value) {
	const most = heat.values[value.id].reduce((a, b) => Math.max(a, b), 0);
	const shares = [0, 0.1, 0.25, 0.5, 1];
	return element('p', { class: 'tools faint', id: 'heat-legend' },
		...legendParts(shares.map((share) => [heatColor(share, isDarkTheme()),
			value.unit === 'ns' ? timeText(share * most) : countText(Math.round(share * most))]), element),
		element('span', {}, `in a cell of ${timeText(heat.cell)}, all threads together. ${value.note ?? ''}`));
}

class HeatMap {
	#heat;
	#values;
	#unit;
	#options;
	#most;
	#canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-roledescription': 'heat map',
		'aria-label': 'Heat map: arrow keys choose a cell, with Shift they select, Enter selects its time' });
	#tooltip = element('div', { class: 'tooltip', hidden: true });
	#frame = 0;
	#size = { width: 0, height: 0 };
	#cursor = 0;
	#anchor = null;
	#isDragging = false;

	/** heat: the answer of the worker; options: unit, selection, onSelect(from, to), status. */
	constructor(heat, values, options) {
		this.#heat = heat;
		this.#values = values;
		this.#unit = options.unit;
		this.#options = options;
		this.#most = values.reduce((a, b) => Math.max(a, b), 0);
		this.element = element('div', { class: 'drawing heat' }, this.#canvas, this.#tooltip);
		this.#canvas.addEventListener('pointerdown', (event) => this.#down(event));
		this.#canvas.addEventListener('pointermove', (event) => this.#move(event));
		this.#canvas.addEventListener('pointerup', (event) => this.#up(event));
		this.#canvas.addEventListener('pointerleave', () => { this.#tooltip.hidden = true; });
		this.#canvas.addEventListener('keydown', (event) => this.#key(event));
		new ResizeObserver(() => this.redraw()).observe(this.element);
	}

	select(selection) {
		this.#options.selection = selection;
		this.#anchor = null;
		this.redraw();
	}

	redraw() {
		cancelAnimationFrame(this.#frame);
		this.#frame = requestAnimationFrame(() => this.#draw());
	}

	#timeOf(cell) {
		return this.#heat.start + cell * this.#heat.cell;
	}

	// The cells that are selected: a range in the order of time.
	#selected() {
		if (this.#anchor !== null)
			return [Math.min(this.#anchor, this.#cursor), Math.max(this.#anchor, this.#cursor)];
		const { from, to } = this.#options.selection;
		if (from === undefined && to === undefined)
			return [1, 0];
		const { start, cell } = this.#heat;
		return [Math.floor(((from ?? start) - start) / cell + 1e-6), to === undefined ? Infinity : Math.ceil((to - start) / cell - 1e-6) - 1];
	}

	/** What is shown as a file of SVG. */
	svg() {
		const context = new SvgContext();
		const { width, height } = this.#size;
		this.#drawCells(context, false);
		this.#drawAxes(context, false);
		return context.finish(width, height);
	}

	#draw() {
		const { clientWidth: width, clientHeight } = this.element;
		const height = Math.max(200, Math.min(600, clientHeight - 2));
		if (width === 0)
			return;
		this.#size = { width, height };
		const ratio = devicePixelRatio || 1;
		Object.assign(this.#canvas, { width: width * ratio, height: height * ratio });
		Object.assign(this.#canvas.style, { width: `${width}px`, height: `${height}px` });
		const context = this.#canvas.getContext('2d');
		context.scale(ratio, ratio);
		this.#drawCells(context, isDarkTheme());
		this.#drawAxes(context, isDarkTheme());
	}

	#place(cell) {
		const { columns, rows } = this.#heat;
		const column = Math.floor(cell / rows);
		const row = cell % rows;
		const x = (at) => Math.round(axisLeft + at * (this.#size.width - axisLeft) / columns);
		const y = (at) => Math.round(at * (this.#size.height - axisBottom) / rows);
		return { x: x(column), y: y(row), width: x(column + 1) - x(column), height: y(row + 1) - y(row) };
	}

	#drawCells(context, isDark) {
		const [first, last] = this.#selected();
		const accent = isDark ? '#74b3f2' : '#0b5cad';
		for (let i = 0; i < this.#values.length; i++) {
			const { x, y, width, height } = this.#place(i);
			const gap = width > 5 && height > 5 ? 1 : 0;
			context.fillStyle = heatColor(this.#most > 0 ? this.#values[i] / this.#most : 0, isDark);
			context.fillRect(x, y, width - gap, height - gap);
			if (i >= first && i <= last) {
				context.fillStyle = isDark ? 'rgb(116 179 242 / 45%)' : 'rgb(11 92 173 / 40%)';
				context.fillRect(x, y, width, height);
			}
		}
		const { x, y, width, height } = this.#place(this.#cursor);
		context.strokeStyle = accent;
		context.lineWidth = 2;
		context.strokeRect(x, y, Math.max(3, width - 1), Math.max(3, height - 1));
	}

	#drawAxes(context, isDark) {
		const { columns, rows, cell, period } = this.#heat;
		context.font = '11px system-ui, sans-serif';
		context.fillStyle = isDark ? '#9aa4af' : '#57606a';
		context.textBaseline = 'top';
		const every = Math.ceil(columns / Math.max(1, Math.floor((this.#size.width - axisLeft) / 80)));
		for (let column = 0; column < columns; column += every) {
			const { x } = this.#place(column * rows);
			const text = timeText(column * period);
			if (x + text.length * tickCharacter <= this.#size.width)
				context.fillText(text, x, this.#size.height - axisBottom + 4);
		}
		for (let row = 0; row < rows; row += 10)
			context.fillText(`+${timeText(row * cell)}`, 2, this.#place(row).y);
	}

	#cellAt(event) {
		const box = this.#canvas.getBoundingClientRect();
		const { columns, rows } = this.#heat;
		const column = Math.floor((event.clientX - box.left - axisLeft) / (box.width - axisLeft) * columns);
		const row = Math.floor((event.clientY - box.top) / (box.height - axisBottom) * rows);
		return Math.min(columns - 1, Math.max(0, column)) * rows + Math.min(rows - 1, Math.max(0, row));
	}

	#text(cell) {
		const value = this.#values[cell];
		const amount = this.#unit === 'ns' ? timeText(value) : `${countText(value)} samples`;
		return `${timeText(this.#timeOf(cell))} to ${timeText(this.#timeOf(cell + 1))}: ${amount}`;
	}

	#down(event) {
		this.#cursor = this.#cellAt(event);
		this.#anchor = this.#cursor;
		this.#isDragging = true;
		this.#canvas.setPointerCapture(event.pointerId);
		this.redraw();
	}

	#move(event) {
		const cell = this.#cellAt(event);
		if (this.#isDragging && cell !== this.#cursor) {
			this.#cursor = cell;
			this.redraw();
		}
		this.#tooltip.hidden = false;
		this.#tooltip.textContent = this.#text(cell);
		this.#tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - 340))}px`;
		this.#tooltip.style.top = `${Math.min(event.clientY + 16, innerHeight - 60)}px`;
	}

	#up(event) {
		if (!this.#isDragging)
			return;
		this.#isDragging = false;
		this.#cursor = this.#cellAt(event);
		this.#choose();
	}

	// The selected cells become the selection of all views.
	#choose() {
		this.#anchor ??= this.#cursor;
		const [first, last] = this.#selected();
		this.#options.onSelect(Math.floor(this.#timeOf(first)), Math.ceil(this.#timeOf(last + 1)));
	}

	#key(event) {
		const { rows } = this.#heat;
		const steps = { ArrowDown: 1, ArrowUp: -1, ArrowRight: rows, ArrowLeft: -rows, Home: -Infinity, End: Infinity };
		if (event.key === 'Enter') {
			this.#choose();
		} else if (event.key === 'Escape') {
			this.#anchor = null;
		} else if (steps[event.key] === undefined) {
			return;
		} else {
			const before = this.#cursor;
			this.#cursor = Math.min(this.#values.length - 1, Math.max(0, this.#cursor + steps[event.key]));
			this.#anchor = event.shiftKey ? this.#anchor ?? before : null;
		}
		event.preventDefault();
		this.#options.status.textContent = this.#text(this.#cursor);
		announce(this.#text(this.#cursor));
		this.redraw();
	}

	/** The cells as lines of CSV. */
	csv() {
		const name = this.#unit === 'ns' ? 'value (ns)' : 'samples';
		return [`from (ns),to (ns),${name}`, ...Array.from(this.#values, (value, i) =>
			`${Math.round(this.#timeOf(i))},${Math.round(this.#timeOf(i + 1))},${value}`)].join('\n').concat('\n');
	}
}

function periodChoice(period, length) {
	const periods = [];
	for (let unit = 1e3; unit <= 1e11; unit *= 10)
		periods.push(unit, 2 * unit, 5 * unit);
	const options = periods.filter((size) => length / size >= 5 && length / size <= 200);
	if (!options.includes(period))
		options.push(period);
	return element('label', {}, 'One column is ', element('select', { onchange: (event) => changeAddress({ period: event.target.value }) },
		...options.sort((a, b) => a - b).map((size) => element('option', { value: size, selected: size === period }, timeText(size)))));
}

export const heatView = {
	id: 'heat',
	title: 'Heat map',
	isFilled: ({ totals, rows }) => totals.calls > 0 || totals.samples > 0 || rows.pauses > 0 || rows.thread_states > 0,
	async draw(container, { client, selection, address }) {
		const heat = await client.ask('heat', { period: Number(address.period) || 0, threads: selection.threads });
		const has = (id) => heat.values[id].some((value) => value > 0);
		// A part is shown if there is another one.
		const found = heat.columns === 0 ? [] : heatValues.filter(({ id, without }) => has(id) && (without === undefined || has(without)));
		if (found.length === 0) {
			container.replaceChildren(emptyText('--calls or --sample'));
			return null;
		}
		const value = found.find(({ id }) => id === address.value) ?? found[0];
		const status = element('div', { class: 'status' }, 'Drag over cells to select their time; arrow keys and Shift do the same, Enter selects.');
		const map = new HeatMap(heat, heat.values[value.id], { unit: value.unit, selection, status,
			onSelect: (from, to) => changeAddress({ from, to }) });
		const sum = sumOf(heat.values[value.id]);
		const next = element('span', { id: 'heat-links' });
		const drawLinks = ({ from, to }) => next.replaceChildren(...(from === undefined && to === undefined ? []
			: ['The selection as ', element('a', { href: linkTo('flame') }, 'flame graph'), ', ',
				element('a', { href: linkTo('timeline', { t0: from, t1: to }) }, 'timeline')]));
		drawLinks(selection);
		container.replaceChildren(element('div', { class: 'tools' },
			element('label', {}, 'Value ', element('select', { onchange: (event) => changeAddress({ value: event.target.value }) },
				...found.map(({ id, title }) => element('option', { value: id, selected: id === value.id }, title)))),
			periodChoice(heat.period, heat.period * heat.columns),
			element('button', { type: 'button', onclick: () => saveFile(fileName(`heat-${value.id}.csv`), 'text/csv', map.csv()) }, 'Save as CSV'),
			element('button', { type: 'button', onclick: () => saveFile(fileName(`heat-${value.id}.svg`), 'image/svg+xml', map.svg()) }, 'Save as SVG'),
			element('span', { class: 'faint', id: 'heat-sum', 'data-value': sum },
				`${value.unit === 'ns' ? timeText(sum) : `${countText(sum)} samples`} of all threads that are shown`), next),
		heat.leftOut > 0 ? element('p', { class: 'warning' }, `${countText(heat.leftOut)} times are missing: the limit of memory was reached.`) : '',
		heatLegend(heat, value), status, map.element);
		return {
			apply(now, changed, chosen) {
				if (changed.some((name) => name !== 'from' && name !== 'to' && name !== 'search'))
					return false;
				map.select(chosen);
				drawLinks(chosen);
				return true;
			},
		};
	},
};
