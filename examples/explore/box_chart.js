// SPDX-License-Identifier: MIT
// What a flame graph and a treemap have in common: boxes on a canvas for the nodes of a forest, of which one is zoomed
// with a click or Enter, and one is chosen with the arrow keys.
import { announce, element } from './dom.js';
import { figureText, shareText } from './figures.js';

/** A chart has draw(), which draws all boxes, and boxAt(x, y), which returns the box at a point of the canvas. */
export class BoxChart {
	tooltip = element('div', { class: 'tooltip', hidden: true });
	status = element('div', { class: 'status' });
	matches = [];
	#frame = 0;
	#matchText = '';

	/**
	 * options: unit, countName, search, zoomed (a path as text), onZoom(path), title. The third argument has the role of
	 * the canvas, its keys in words for screen readers, and the class of the element.
	 */
	constructor(forest, options, { role, keys, className }) {
		this.forest = forest;
		this.options = options;
		this.zoomed = forest.nodeAt(options.zoomed);
		this.chosen = this.zoomed;
		this.canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-roledescription': role });
		this.canvas.setAttribute('aria-label', `${options.title}: ${keys}`);
		this.element = element('div', { class: className }, this.canvas, this.tooltip);
		this.canvas.addEventListener('mousemove', (event) => this.#point(event));
		this.canvas.addEventListener('mouseleave', () => { this.tooltip.hidden = true; });
		this.canvas.addEventListener('click', (event) => this.#click(event));
		this.canvas.addEventListener('keydown', (event) => this.#key(event));
		new ResizeObserver(() => this.redraw()).observe(this.element);
		this.search(options.search ?? '');
	}

	/** Shows the node of a path. */
	show(path) {
		const node = this.forest.nodeAt(path);
		if (node === this.zoomed)
			return;
		this.zoomed = node;
		this.choose(node);
	}

	search(text) {
		const wanted = text.trim().toLowerCase();
		this.matches = wanted === '' ? [] : this.forest.names.map((name) => (name ?? '').toLowerCase().includes(wanted));
		this.#matchText = wanted === '' ? '' : this.textOfMatches();
		this.#describe();
		this.redraw();
	}

	/** What the status adds while a search has a text. */
	textOfMatches() {
		return '';
	}

	isMatch(node) {
		return node !== 0 && this.matches[this.forest.name[node]];
	}

	/** What a box is, for the status and the tooltip. */
	text(node) {
		const { forest, options } = this;
		const value = forest.value(node);
		const parts = [`${forest.nameOf(node) ?? 'unknown'}: ${figureText(value, options.unit)}`, shareText(value, forest.whole)];
		if (node !== 0)
			parts.push(`own ${figureText(forest.nodes.self[node], options.unit)}`);
		if (node !== 0 && options.countName)
			parts.push(`${figureText(forest.nodes.count[node], 'count')} ${options.countName}`);
		return parts.filter((part) => part !== '').join(', ');
	}

	#describe() {
		this.status.textContent = this.text(this.chosen) + this.#matchText;
	}

	redraw() {
		cancelAnimationFrame(this.#frame);
		this.#frame = requestAnimationFrame(() => this.draw());
	}

	#nodeAt(event) {
		const canvas = this.canvas.getBoundingClientRect();
		return this.boxAt(event.clientX - canvas.left, event.clientY - canvas.top)?.node;
	}

	#point(event) {
		const node = this.#nodeAt(event);
		this.tooltip.hidden = node === undefined;
		if (node === undefined)
			return;
		this.tooltip.textContent = this.text(node);
		this.tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - 320))}px`;
		this.tooltip.style.top = `${Math.min(event.clientY + 16, innerHeight - 80)}px`;
	}

	#click(event) {
		const node = this.#nodeAt(event);
		if (node !== undefined)
			this.#zoom(node);
	}

	#zoom(node) {
		this.zoomed = node;
		this.choose(node);
		this.options.onZoom?.(this.forest.pathText(node));
	}

	choose(node) {
		this.chosen = node;
		this.#describe();
		announce(this.text(node));
		this.redraw();
	}

	/** Chooses a box with a key. */
	moveTo(node) {
		this.choose(node);
	}

	#key(event) {
		const { nodes } = this.forest;
		const siblings = this.chosen === 0 ? [0] : this.forest.children(nodes.parent[this.chosen]);
		const position = siblings.indexOf(this.chosen);
		const moves = {
			ArrowDown: () => this.forest.children(this.chosen)[0],
			ArrowUp: () => (this.chosen === 0 ? 0 : nodes.parent[this.chosen]),
			ArrowRight: () => siblings[position + 1],
			ArrowLeft: () => siblings[position - 1],
		};
		if (event.key === 'Enter')
			this.#zoom(this.chosen);
		else if (event.key === 'Escape')
			this.#zoom(0);
		else if (moves[event.key] === undefined)
			return;
		else
			this.moveTo(moves[event.key]() ?? this.chosen);
		event.preventDefault();
	}
}
