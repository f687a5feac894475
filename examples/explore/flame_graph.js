// SPDX-License-Identifier: MIT
// A flame graph on a canvas: zoomed with a click or Enter, moved through with the arrow keys, saved as SVG.
import { boxText, drawingColors, frameColor, frameLooks, isDarkTheme, legendParts, lookColor, lookOf } from './colors.js';
import { announce, element, escapeMarkup } from './dom.js';
import { countOf, figureText, shareText } from './figures.js';
import { layOut } from './flame_layout.js';
import { shortName } from './short_name.js';

const boxHeight = 19;

// Narrower boxes have no text, in pixels.
const leastLabel = 32;
const labelWidth = 6.5;

// What colors mean in the legend.
const lookTitles = { managed: 'managed code', native: 'native code', kernel: 'kernel', runtime: 'work of the runtime', waiting: 'waiting',
	class: 'objects of a class', other: 'other' };

export class FlameGraph {
	#forest;
	#options;
	#canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-roledescription': 'flame graph' });
	#tooltip = element('div', { class: 'tooltip', hidden: true });
	#status = element('div', { class: 'status' });
	#boxes = [];
	#rows = [];
	#matches = [];
	#zoomed;
	#chosen;
	#width = 0;
	#frame = 0;
	#matchText = '';
	#looks = new Map();

	/**
	 * options: unit, valueName (what values count, such as "sample"), countName, search, zoomed (a path as text), onZoom(path),
	 * and what the boxes are: title, noun, and look if all are alike.
	 */
	constructor(forest, options) {
		this.#forest = forest;
		this.#options = { title: 'Flame graph', noun: 'frames', ...options };
		this.#canvas.setAttribute('aria-label', `${this.#options.title}: arrow keys choose a box, Enter zooms, Escape shows all`);
		this.#zoomed = forest.nodeAt(options.zoomed);
		this.#chosen = this.#zoomed;
		this.element = element('div', { class: 'drawing flame' }, this.#canvas, this.#tooltip);
		this.legend = this.#makeLegend();
		this.status = this.#status;
		this.search(options.search ?? '');
		this.#canvas.addEventListener('mousemove', (event) => this.#point(event));
		this.#canvas.addEventListener('mouseleave', () => { this.#tooltip.hidden = true; });
		this.#canvas.addEventListener('click', (event) => this.#click(event));
		this.#canvas.addEventListener('keydown', (event) => this.#key(event));
		new ResizeObserver(() => this.redraw()).observe(this.element);
	}

	/** Shows the node of a path. */
	show(path) {
		const node = this.#forest.nodeAt(path);
		if (node === this.#zoomed)
			return;
		this.#zoomed = node;
		this.#choose(node);
	}

	search(text) {
		const wanted = text.trim().toLowerCase();
		this.#matches = wanted === '' ? [] : this.#forest.names.map((name) => (name ?? '').toLowerCase().includes(wanted));
		const matched = wanted === '' ? 0 : this.#forest.matchedValue(this.#matches);
		this.#matchText = wanted === '' ? '' : `; ${figureText(matched, this.#options.unit)} ` +
			`(${shareText(matched, this.#forest.whole) || '0.0 %'}) in ${this.#options.noun} that match the search`;
		this.#describe();
		this.redraw();
	}

	#text(node) {
		const forest = this.#forest;
		const value = forest.value(node);
		const parts = [`${forest.nameOf(node) ?? 'unknown'}: ${this.#amount(value)}`,
			shareText(value, forest.whole)];
		if (node !== 0)
			parts.push(`own ${figureText(forest.nodes.self[node], this.#options.unit)}`);
		if (node !== 0 && this.#options.countName)
			parts.push(`${figureText(forest.nodes.count[node], 'count')} ${this.#options.countName}`);
		return parts.filter((part) => part !== '').join(', ');
	}

	#amount(value) {
		const { unit, valueName = null } = this.#options;
		return valueName === null ? figureText(value, unit) : countOf(value, valueName);
	}

	#describe() {
		this.#status.textContent = this.#text(this.#chosen) + this.#matchText;
	}

	redraw() {
		cancelAnimationFrame(this.#frame);
		this.#frame = requestAnimationFrame(() => this.#draw());
	}

	#draw() {
		const width = this.element.clientWidth;
		if (width === 0)
			return;
		this.#width = width;
		this.#boxes = layOut(this.#forest, this.#zoomed, 0.5 / width);
		const depth = this.#boxes.reduce((most, box) => Math.max(most, box.depth), 0);
		this.#rows = Array.from({ length: depth + 1 }, () => []);
		for (const box of this.#boxes)
			this.#rows[box.depth].push(box);
		const height = Math.min((depth + 1) * boxHeight, 32000);
		const ratio = Math.min(devicePixelRatio || 1, 32000 / height);
		this.#canvas.width = width * ratio;
		this.#canvas.height = height * ratio;
		this.#canvas.style.width = `${width}px`;
		this.#canvas.style.height = `${height}px`;
		const context = this.#canvas.getContext('2d');
		context.scale(ratio, ratio);
		context.font = '12px system-ui, sans-serif';
		context.textBaseline = 'middle';
		const isDark = isDarkTheme();
		for (const box of this.#boxes)
			this.#drawBox(context, box, isDark);
	}

	// What a node is, and its color: the same for all nodes of a frame.
	#look(node) {
		const { nodes, name, modules } = this.#forest;
		const key = `${name[node]} ${nodes.flags[node]}`;
		let found = this.#looks.get(key);
		if (found === undefined) {
			const frame = { kind: nodes.kind[node], flags: nodes.flags[node], name: this.#forest.nameOf(node), module: modules?.[name[node]] ?? null };
			const look = this.#options.look ?? lookOf(frame);
			found = { look, color: frameColor(look, frame.name, frame.module) };
			this.#looks.set(key, found);
		}
		return found;
	}

	#makeLegend() {
		const used = new Set();
		for (let node = 1; node < this.#forest.nodes.length; node++)
			used.add(this.#look(node).look);
		return element('div', { class: 'tools faint' }, ...legendParts(frameLooks.filter((look) => used.has(look))
			.map((look) => [lookColor(look), lookTitles[look]]), element));
	}

	#drawBox(context, { node, depth, x, width }, isDark) {
		const colors = drawingColors(isDark);
		const name = this.#forest.nameOf(node) ?? 'unknown';
		const left = x * this.#width;
		const size = Math.max(0.5, width * this.#width - (width * this.#width > 3 ? 1 : 0));
		const isMatch = node !== 0 && this.#matches[this.#forest.name[node]];
		context.fillStyle = node === 0 ? colors.root : isMatch ? colors.match : this.#look(node).color;
		context.fillRect(left, depth * boxHeight, size, boxHeight - 1);
		if (node === this.#chosen) {
			context.strokeStyle = isDark ? '#ffffff' : '#0b5cad';
			context.lineWidth = 2;
			context.strokeRect(left + 1, depth * boxHeight + 1, Math.max(1, size - 2), boxHeight - 3);
		}
		if (size < leastLabel)
			return;
		context.fillStyle = node === 0 ? colors.text : boxText;
		context.fillText(shortName(name, Math.floor((size - 6) / labelWidth)), left + 3, depth * boxHeight + boxHeight / 2, size - 5);
	}

	#at(event) {
		const place = this.#canvas.getBoundingClientRect();
		const row = this.#rows[Math.floor((event.clientY - place.top) / boxHeight)] ?? [];
		const x = (event.clientX - place.left) / this.#width;
		return row.find((box) => x >= box.x && x < box.x + box.width)?.node;
	}

	#point(event) {
		const node = this.#at(event);
		this.#tooltip.hidden = node === undefined;
		if (node === undefined)
			return;
		this.#tooltip.textContent = this.#text(node);
		this.#tooltip.style.left = `${Math.min(event.clientX + 12, innerWidth - 320)}px`;
		this.#tooltip.style.top = `${Math.min(event.clientY + 16, innerHeight - 80)}px`;
	}

	#click(event) {
		const node = this.#at(event);
		if (node !== undefined)
			this.#zoom(node);
	}

	#zoom(node) {
		this.#zoomed = node;
		this.#choose(node);
		this.#options.onZoom?.(this.#forest.pathText(node));
	}

	#choose(node) {
		this.#chosen = node;
		this.#describe();
		announce(this.#text(node));
		this.redraw();
	}

	#key(event) {
		const { nodes } = this.#forest;
		const siblings = this.#chosen === 0 ? [0] : this.#forest.children(nodes.parent[this.#chosen]);
		const place = siblings.indexOf(this.#chosen);
		const moves = {
			ArrowDown: () => this.#forest.children(this.#chosen)[0],
			ArrowUp: () => (this.#chosen === 0 ? 0 : nodes.parent[this.#chosen]),
			ArrowRight: () => siblings[place + 1],
			ArrowLeft: () => siblings[place - 1],
		};
		if (event.key === 'Enter')
			this.#zoom(this.#chosen);
		else if (event.key === 'Escape')
			this.#zoom(0);
		else if (moves[event.key] === undefined)
			return;
		else
			this.#choose(moves[event.key]() ?? this.#chosen);
		event.preventDefault();
	}

	/** What is shown as a file of its own. */
	svg() {
		const width = 1200;
		const boxes = layOut(this.#forest, this.#zoomed, 0.5 / width);
		const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0);
		const lines = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${(depth + 1) * boxHeight}" ` +
			'font-family="sans-serif" font-size="12">'];
		for (const box of boxes) {
			const name = this.#forest.nameOf(box.node) ?? 'unknown';
			const size = box.width * width;
			const shown = shortName(name, Math.floor((size - 6) / labelWidth));
			const color = box.node === 0 ? drawingColors(false).root : this.#look(box.node).color;
			lines.push(`<g><title>${escapeMarkup(this.#text(box.node))}</title>` +
				`<rect x="${(box.x * width).toFixed(2)}" y="${box.depth * boxHeight}" width="${Math.max(0.5, size - 0.5).toFixed(2)}" ` +
				`height="${boxHeight - 1}" fill="${color}"/>` + (size < leastLabel ? '' :
				`<text x="${(box.x * width + 3).toFixed(2)}" y="${box.depth * boxHeight + 14}">${escapeMarkup(shown)}</text>`) + '</g>');
		}
		return `${lines.join('\n')}\n</svg>\n`;
	}
}
