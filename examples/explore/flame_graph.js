// SPDX-License-Identifier: MIT
// A flame graph on a canvas: zoomed with a click or Enter, moved through with the arrow keys, saved as SVG.
import { BoxChart } from './box_chart.js';
import { colorOf, isDarkTheme } from './colors.js';
import { escapeMarkup } from './dom.js';
import { figureText, shareText } from './figures.js';
import { layOut } from './flame_layout.js';

const boxHeight = 19;
const characterWidth = 7;

export class FlameGraph extends BoxChart {
	#boxes = [];
	#rows = [];
	#width = 0;

	/** options: those of a BoxChart, and what the boxes are: title, noun. */
	constructor(forest, options) {
		super(forest, { title: 'Flame graph', noun: 'frames', ...options },
			{ role: 'flame graph', keys: 'arrow keys choose a box, Enter zooms, Escape shows all', className: 'drawing' });
	}

	textOfMatches() {
		const value = this.forest.matchedValue(this.matches);
		const share = shareText(value, this.forest.whole) || '0.0 %';
		return `; ${figureText(value, this.options.unit)} (${share}) in ${this.options.noun} ` +
			'that match the search';
	}

	draw() {
		const width = this.element.clientWidth;
		if (width === 0)
			return;
		this.#width = width;
		this.#boxes = layOut(this.forest, this.zoomed, 0.5 / width);
		const depth = this.#boxes.reduce((most, box) => Math.max(most, box.depth), 0);
		this.#rows = Array.from({ length: depth + 1 }, () => []);
		for (const box of this.#boxes)
			this.#rows[box.depth].push(box);
		const height = Math.min((depth + 1) * boxHeight, 32000);
		const ratio = Math.min(devicePixelRatio || 1, 32000 / height);
		this.canvas.width = width * ratio;
		this.canvas.height = height * ratio;
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		const context = this.canvas.getContext('2d');
		context.scale(ratio, ratio);
		context.font = '12px system-ui, sans-serif';
		context.textBaseline = 'middle';
		const isDark = isDarkTheme();
		for (const box of this.#boxes)
			this.#drawBox(context, box, isDark);
	}

	#drawBox(context, { node, depth, x, width }, isDark) {
		const name = this.forest.nameOf(node) ?? 'unknown';
		const left = x * this.#width;
		const size = Math.max(0.5, width * this.#width - (width * this.#width > 3 ? 1 : 0));
		const isMatch = this.isMatch(node);
		context.fillStyle = node === 0 ? (isDark ? '#39424d' : '#d0d7de') : isMatch ? '#b9a3ff' : colorOf(name, isDark);
		context.fillRect(left, depth * boxHeight, size, boxHeight - 1);
		if (node === this.chosen) {
			context.strokeStyle = isDark ? '#ffffff' : '#0b5cad';
			context.lineWidth = 2;
			context.strokeRect(left + 1, depth * boxHeight + 1, Math.max(1, size - 2), boxHeight - 3);
		}
		if (size < 24)
			return;
		const most = Math.floor((size - 6) / characterWidth * 1.1);
		context.fillStyle = isDark && !isMatch ? '#f0f3f6' : '#1b1f24';
		context.fillText(name.length > most ? `${name.slice(0, Math.max(1, most - 1))}…` : name, left + 3,
			depth * boxHeight + boxHeight / 2, size - 5);
	}

	boxAt(x, y) {
		const row = this.#rows[Math.floor(y / boxHeight)] ?? [];
		const share = x / this.#width;
		return row.find((box) => share >= box.x && share < box.x + box.width);
	}

	/** What is shown as a file of its own. */
	svg() {
		const width = 1200;
		const boxes = layOut(this.forest, this.zoomed, 0.5 / width);
		const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0);
		const lines = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${(depth + 1) * boxHeight}" ` +
			'font-family="sans-serif" font-size="12">'];
		for (const box of boxes) {
			const name = this.forest.nameOf(box.node) ?? 'unknown';
			const size = box.width * width;
			const most = Math.floor((size - 6) / characterWidth);
			const shown = name.length > most ? `${name.slice(0, Math.max(1, most - 1))}…` : name;
			const color = box.node === 0 ? '#d0d7de' : colorOf(name, false);
			lines.push(`<g><title>${escapeMarkup(this.text(box.node))}</title>` +
				`<rect x="${(box.x * width).toFixed(2)}" y="${box.depth * boxHeight}" width="${Math.max(0.5, size - 0.5).toFixed(2)}" ` +
				`height="${boxHeight - 1}" fill="${color}"/>` + (size < 24 ? '' :
				`<text x="${(box.x * width + 3).toFixed(2)}" y="${box.depth * boxHeight + 14}">${escapeMarkup(shown)}</text>`) + '</g>');
		}
		return `${lines.join('\n')}\n</svg>\n`;
	}
}
