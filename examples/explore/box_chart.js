// SPDX-License-Identifier: MIT
// A tree of frames as boxes on a canvas: a box is zoomed with a click or Enter, the arrow keys go from one to the next, and
// what is shown can be saved as SVG. Which boxes there are is up to the kind of chart.
import { boxText, drawingColors, frameFlags, isDarkTheme } from './colors.js';
import { announce, element, escapeMarkup } from './dom.js';
import { countOf, figureText, shareText } from './figures.js';

// Labels have the font of "mprof flame", whose characters have the same width, and this distance from the edges.
const font = "11px 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const columnWidth = 6.65;
const indent = 3;
const leastColumns = 3;
const boxLabelHeight = 16;

// Larger canvases are not drawn, in pixels.
const mostHeight = 32000;

// Of a picture that is saved.
const pictureWidth = 1200;

export class BoxChart {
	forest;
	options;
	zoomed;
	#chosen;
	#hovered;
	#canvas;
	#tooltip = element('div', { class: 'tooltip', hidden: true });
	#boxes = [];
	#matches = [];
	#matchText = '';
	#frame = 0;

	/**
	 * options: unit, valueName (what values count, such as "sample"), countName, search, zoomed (a path as text), onZoom(path),
	 * and what the boxes are: title, noun. style: the class of the element; help: what keys do.
	 *
	 * Kinds of charts have layOut(width, height), {height, boxes: {node, x, y, width, height}}, the outer boxes first, and
	 * height undefined for a picture; colorOf(node); labelOf(box, columns).
	 */
	constructor(forest, options, { style, help }) {
		this.forest = forest;
		this.options = options;
		this.zoomed = forest.nodeAt(options.zoomed);
		this.#chosen = this.zoomed;
		this.#canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-roledescription': options.title.toLowerCase(),
			'aria-label': `${options.title}: ${help}` });
		this.element = element('div', { class: `drawing ${style}` }, this.#canvas, this.#tooltip);
		this.status = element('div', { class: 'status' });
		this.#canvas.addEventListener('mousemove', (event) => this.#point(event));
		this.#canvas.addEventListener('mouseleave', () => this.#leave());
		this.#canvas.addEventListener('click', (event) => this.#click(event));
		this.#canvas.addEventListener('keydown', (event) => this.#key(event));
		new ResizeObserver(() => this.redraw()).observe(this.element);
		this.search(options.search ?? '');
	}

	/** Shows the node of a path. */
	show(path) {
		const node = this.forest.nodeAt(path);
		if (node === this.zoomed)
			return;
		this.zoomed = node;
		this.#choose(node);
	}

	search(text) {
		const wanted = text.trim().toLowerCase();
		this.#matches = wanted === '' ? [] : this.forest.names.map((name) => (name ?? '').toLowerCase().includes(wanted));
		const matched = wanted === '' ? 0 : this.forest.matchedValue(this.#matches);
		this.#matchText = wanted === '' ? '' : `; ${figureText(matched, this.options.unit)} ` +
			`(${shareText(matched, this.forest.whole) || '0.0 %'}) in ${this.options.noun} that match the search`;
		this.#describe();
		this.redraw();
	}

	/** Whether a node has a box, apart from those that are too small. */
	isShown(node) {
		let above = node;
		while (above !== this.zoomed && above !== 0)
			above = this.forest.nodes.parent[above];
		return above === this.zoomed;
	}

	#text(node) {
		const { forest } = this;
		const { unit, countName = null } = this.options;
		const value = forest.value(node);
		const inlined = node !== 0 && (forest.nodes.flags[node] & frameFlags.inlined) !== 0 ? ' (inlined)' : '';
		const parts = [`${forest.nameOf(node) ?? 'unknown'}${inlined}: ${this.#amount(value)}`, shareText(value, forest.whole)];
		if (node !== 0)
			parts.push(`own ${figureText(forest.nodes.self[node], unit)}`);
		if (node !== 0 && countName !== null)
			parts.push(`${figureText(forest.nodes.count[node], 'count')} ${countName}`);
		return parts.filter((part) => part !== '').join(', ');
	}

	#amount(value) {
		const { unit, valueName = null } = this.options;
		return valueName === null ? figureText(value, unit) : countOf(value, valueName);
	}

	#describe() {
		this.status.textContent = this.#text(this.#chosen) + this.#matchText;
	}

	redraw() {
		cancelAnimationFrame(this.#frame);
		this.#frame = requestAnimationFrame(() => this.#draw());
	}

	#draw() {
		const { clientWidth: width, clientHeight } = this.element;
		if (width === 0)
			return;
		const { height: whole, boxes } = this.layOut(width, clientHeight);
		this.#boxes = boxes;
		const height = Math.min(whole, mostHeight);
		const ratio = Math.min(devicePixelRatio || 1, mostHeight / height);
		Object.assign(this.#canvas, { width: width * ratio, height: height * ratio });
		Object.assign(this.#canvas.style, { width: `${width}px`, height: `${height}px` });
		const context = this.#canvas.getContext('2d');
		context.scale(ratio, ratio);
		context.font = font;
		context.textBaseline = 'middle';
		const isDark = isDarkTheme();
		const colors = drawingColors(isDark);
		for (const box of boxes)
			this.#drawBox(context, box, colors);
		this.#drawEdge(context, this.#hovered, isDark ? '#ffffff' : '#000000', 1);
		this.#drawEdge(context, this.#chosen, isDark ? '#ffffff' : '#0b5cad', 2);
	}

	#drawBox(context, box, colors) {
		const { node, x, y, width, height } = box;
		const isMatch = node !== 0 && this.#matches[this.forest.name[node]];
		context.fillStyle = node === 0 ? colors.root : isMatch ? colors.match : this.colorOf(node);
		context.fillRect(x, y, Math.max(0.5, width - (width > 3 ? 1 : 0)), Math.max(0.5, height - 1));
		const label = this.#label(box);
		if (label === '')
			return;
		context.fillStyle = node === 0 ? colors.text : boxText;
		context.fillText(label, x + indent, y + boxLabelHeight / 2, width - indent);
	}

	#drawEdge(context, node, color, thickness) {
		const box = node === undefined ? undefined : this.#boxes.find((found) => found.node === node);
		if (box === undefined)
			return;
		context.strokeStyle = color;
		context.lineWidth = thickness;
		context.strokeRect(box.x + thickness / 2, box.y + thickness / 2, Math.max(1, box.width - 1 - thickness),
			Math.max(1, box.height - 1 - thickness));
	}

	#label(box) {
		const columns = Math.floor((box.width - 2 * indent) / columnWidth);
		return columns < leastColumns ? '' : this.labelOf(box, columns);
	}

	#at(event) {
		const edge = this.#canvas.getBoundingClientRect();
		const x = event.clientX - edge.left;
		const y = event.clientY - edge.top;
		return this.#boxes.findLast((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height)?.node;
	}

	#point(event) {
		const node = this.#at(event);
		this.#tooltip.hidden = node === undefined;
		this.#canvas.style.cursor = node === undefined ? '' : 'pointer';
		if (node !== this.#hovered) {
			this.#hovered = node;
			this.redraw();
		}
		if (node === undefined)
			return;
		this.#tooltip.textContent = this.#text(node);
		this.#tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - 320))}px`;
		this.#tooltip.style.top = `${Math.min(event.clientY + 16, innerHeight - 80)}px`;
	}

	#leave() {
		this.#tooltip.hidden = true;
		this.#hovered = undefined;
		this.redraw();
	}

	#click(event) {
		const node = this.#at(event);
		if (node !== undefined)
			this.#zoom(node);
	}

	#zoom(node) {
		this.zoomed = node;
		this.#choose(node);
		this.options.onZoom?.(this.forest.pathText(node));
	}

	#choose(node) {
		this.#chosen = node;
		this.#describe();
		announce(this.#text(node));
		this.redraw();
	}

	#key(event) {
		const { nodes } = this.forest;
		const siblings = this.#chosen === 0 ? [0] : this.forest.children(nodes.parent[this.#chosen]);
		const at = siblings.indexOf(this.#chosen);
		const moves = {
			ArrowDown: () => this.forest.children(this.#chosen)[0],
			ArrowUp: () => (this.#chosen === 0 ? 0 : nodes.parent[this.#chosen]),
			ArrowRight: () => siblings[at + 1],
			ArrowLeft: () => siblings[at - 1],
		};
		if (event.key === 'Enter')
			this.#zoom(this.#chosen);
		else if (event.key === 'Escape')
			this.#zoom(0);
		else if (moves[event.key] === undefined)
			return;
		else
			this.#moveTo(moves[event.key]() ?? this.#chosen);
		event.preventDefault();
	}

	// Leaves the zoomed box if what is chosen is not in it.
	#moveTo(node) {
		if (!this.isShown(node))
			this.zoomed = this.forest.nodes.parent[node];
		this.#choose(node);
	}

	/** What is shown as a file of its own. */
	svg() {
		const { height, boxes } = this.layOut(pictureWidth);
		const lines = [`<svg xmlns="http://www.w3.org/2000/svg" width="${pictureWidth}" height="${height}" font-family="${font.slice(5)}" font-size="11">`];
		for (const box of boxes) {
			const color = box.node === 0 ? drawingColors(false).root : this.colorOf(box.node);
			const label = this.#label(box);
			lines.push(`<g><title>${escapeMarkup(this.#text(box.node))}</title><rect x="${box.x.toFixed(2)}" y="${box.y.toFixed(2)}" ` +
				`width="${Math.max(0.5, box.width - 0.5).toFixed(2)}" height="${Math.max(0.5, box.height - 1).toFixed(2)}" fill="${color}"/>` +
				(label === '' ? '' : `<text x="${(box.x + indent).toFixed(2)}" y="${(box.y + 12).toFixed(2)}">${escapeMarkup(label)}</text>`) + '</g>');
		}
		return `${lines.join('\n')}\n</svg>\n`;
	}
}
