// SPDX-License-Identifier: MIT
// A treemap on a canvas: the area of each box is its value, and the boxes inside it are its children. Zoomed with a
// click or Enter, moved through with the arrow keys, saved as SVG.
import { boxText, drawingColors, frameColor, isDarkTheme } from './colors.js';
import { shortName } from './short_name.js';
import { announce, element, escapeMarkup } from './dom.js';
import { figureText, shareText } from './figures.js';

const headHeight = 17;
const leastSide = 5;
const leastInside = 34;
const letterWidth = 6.6;

// The worst ratio of sides of boxes with a sum of values in a row along a side.
function worstRatio(smallest, largest, sum, side) {
	return Math.max(side * side * largest / (sum * sum), sum * sum / (side * side * smallest));
}

/**
 * Divides a rectangle {x, y, width, height} into boxes whose areas are areas, sorted with the largest first, as
 * squares as far as possible: rows along the shorter side are extended while that makes the boxes more like squares.
 */
export function squarify(areas, rectangle) {
	const boxes = [];
	let { x, y, width, height } = rectangle;
	for (let first = 0; first < areas.length;) {
		const side = Math.min(width, height);
		let last = first + 1;
		let sum = areas[first];
		while (last < areas.length && side > 0 &&
			worstRatio(areas[last], areas[first], sum + areas[last], side) <= worstRatio(areas[last - 1], areas[first], sum, side))
			sum += areas[last++];
		const thickness = side > 0 ? Math.min(sum / side, Math.max(width, height)) : 0;
		let at = 0;
		for (; first < last; first++) {
			const length = sum > 0 ? side * areas[first] / sum : 0;
			boxes.push(width >= height ? { x, y: y + at, width: thickness, height: length } : { x: x + at, y, width: length, height: thickness });
			at += length;
		}
		if (width >= height) {
			x += thickness;
			width -= thickness;
		} else {
			y += thickness;
			height -= thickness;
		}
	}
	return boxes;
}

/** The boxes of a node and of what is in it, the outer ones first: {node, depth, x, y, width, height, isOpen}. */
export function layOutTreemap(forest, zoomed, width, height) {
	const boxes = [];
	const visit = [{ node: zoomed, depth: 0, x: 0, y: 0, width, height }];
	while (visit.length > 0) {
		const box = visit.pop();
		boxes.push(box);
		const children = forest.children(box.node);
		box.isOpen = children.length > 0 && box.width >= leastInside && box.height >= leastInside && forest.value(box.node) > 0;
		if (!box.isOpen)
			continue;
		const inside = { x: box.x + 2, y: box.y + headHeight, width: box.width - 4, height: box.height - headHeight - 2 };
		const scale = inside.width * inside.height / forest.value(box.node);
		const shown = [];
		for (const child of children) {
			const area = forest.nodes.total[child] * scale;
			if (area < leastSide * leastSide)
				break;
			shown.push(child);
		}
		squarify(shown.map((child) => forest.nodes.total[child] * scale), inside).forEach((place, i) =>
			visit.push({ node: shown[i], depth: box.depth + 1, ...place }));
	}
	return boxes;
}

export class Treemap {
	#forest;
	#options;
	#canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-roledescription': 'treemap' });
	#tooltip = element('div', { class: 'tooltip', hidden: true });
	#status = element('div', { class: 'status' });
	#boxes = [];
	#matches = [];
	#zoomed;
	#chosen;
	#frame = 0;

	/** options: as those of a FlameGraph. */
	constructor(forest, options) {
		this.#forest = forest;
		this.#options = options;
		this.#zoomed = forest.nodeAt(options.zoomed);
		this.#chosen = this.#zoomed;
		this.#canvas.setAttribute('aria-label', `${options.title}: arrow keys choose a box, down goes into it, Enter zooms, Escape shows all`);
		this.element = element('div', { class: 'drawing treemap' }, this.#canvas, this.#tooltip);
		this.status = this.#status;
		this.#canvas.addEventListener('mousemove', (event) => this.#point(event));
		this.#canvas.addEventListener('mouseleave', () => { this.#tooltip.hidden = true; });
		this.#canvas.addEventListener('click', (event) => this.#click(event));
		this.#canvas.addEventListener('keydown', (event) => this.#key(event));
		new ResizeObserver(() => this.redraw()).observe(this.element);
		this.search(options.search ?? '');
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
		this.#describe();
		this.redraw();
	}

	#text(node) {
		const { nodes } = this.#forest;
		const value = this.#forest.value(node);
		const parts = [`${this.#forest.nameOf(node) ?? 'unknown'}: ${figureText(value, this.#options.unit)}`, shareText(value, this.#forest.whole)];
		if (node !== 0)
			parts.push(`own ${figureText(nodes.self[node], this.#options.unit)}`, `${figureText(nodes.count[node], 'count')} ${this.#options.countName}`);
		return parts.filter((part) => part !== '').join(', ');
	}

	#describe() {
		this.#status.textContent = this.#text(this.#chosen);
	}

	redraw() {
		cancelAnimationFrame(this.#frame);
		this.#frame = requestAnimationFrame(() => this.#draw());
	}

	#isMatch(node) {
		return node !== 0 && this.#matches[this.#forest.name[node]];
	}

	#draw() {
		const { clientWidth: width, clientHeight } = this.element;
		const height = Math.max(240, clientHeight - 2);
		if (width === 0)
			return;
		const ratio = devicePixelRatio || 1;
		Object.assign(this.#canvas, { width: width * ratio, height: height * ratio });
		Object.assign(this.#canvas.style, { width: `${width}px`, height: `${height}px` });
		const context = this.#canvas.getContext('2d');
		context.scale(ratio, ratio);
		context.font = '12px system-ui, sans-serif';
		context.textBaseline = 'middle';
		this.#boxes = layOutTreemap(this.#forest, this.#zoomed, width, height);
		const isDark = isDarkTheme();
		const colors = drawingColors(isDark);
		for (const box of this.#boxes)
			this.#drawBox(context, box, colors);
		const chosen = this.#boxes.find(({ node }) => node === this.#chosen);
		if (chosen !== undefined) {
			context.strokeStyle = colors.accent;
			context.lineWidth = 3;
			context.strokeRect(chosen.x + 1.5, chosen.y + 1.5, Math.max(1, chosen.width - 3), Math.max(1, chosen.height - 3));
		}
	}

	#drawBox(context, { node, x, y, width, height }, colors) {
		const name = this.#forest.nameOf(node) ?? 'unknown';
		const isMatch = this.#isMatch(node);
		context.fillStyle = node === 0 ? colors.root : isMatch ? colors.match : frameColor('class', name);
		context.fillRect(x, y, Math.max(1, width - 1), Math.max(1, height - 1));
		if (width < 30 || height < headHeight)
			return;
		context.fillStyle = node === 0 ? colors.text : boxText;
		context.fillText(this.#label(node, name, width), x + 4, y + headHeight / 2);
	}

	#label(node, name, width) {
		const most = Math.floor((width - 8) / letterWidth);
		const text = `${name} ${figureText(this.#forest.value(node), this.#options.unit)}`;
		if (text.length <= most)
			return text;
		return shortName(name, most);
	}

	#at(event) {
		const place = this.#canvas.getBoundingClientRect();
		const x = event.clientX - place.left;
		const y = event.clientY - place.top;
		return this.#boxes.findLast((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height)?.node;
	}

	#point(event) {
		const node = this.#at(event);
		this.#tooltip.hidden = node === undefined;
		if (node === undefined)
			return;
		this.#tooltip.textContent = this.#text(node);
		this.#tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - 320))}px`;
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
			this.#moveTo(moves[event.key]() ?? this.#chosen);
		event.preventDefault();
	}

	// Leaves the zoomed box if what is chosen is not in it.
	#moveTo(node) {
		let above = node;
		while (above !== this.#zoomed && above !== 0)
			above = this.#forest.nodes.parent[above];
		if (above !== this.#zoomed)
			this.#zoomed = this.#forest.nodes.parent[node];
		this.#choose(node);
	}

	/** What is shown as a file of its own. */
	svg() {
		const [width, height] = [1200, 800];
		const lines = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`];
		for (const box of layOutTreemap(this.#forest, this.#zoomed, width, height)) {
			const name = this.#forest.nameOf(box.node) ?? 'unknown';
			const text = box.width < 30 || box.height < headHeight ? ''
				: `<text x="${(box.x + 4).toFixed(2)}" y="${(box.y + 13).toFixed(2)}">${escapeMarkup(this.#label(box.node, name, box.width))}</text>`;
			lines.push(`<g><title>${escapeMarkup(this.#text(box.node))}</title><rect x="${box.x.toFixed(2)}" y="${box.y.toFixed(2)}" ` +
				`width="${Math.max(0.5, box.width - 0.5).toFixed(2)}" height="${Math.max(0.5, box.height - 0.5).toFixed(2)}" ` +
				`fill="${box.node === 0 ? drawingColors(false).root : frameColor('class', name)}"/>${text}</g>`);
		}
		return `${lines.join('\n')}\n</svg>\n`;
	}
}
