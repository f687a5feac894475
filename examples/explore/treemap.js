// SPDX-License-Identifier: MIT
// A treemap on a canvas: the area of each box is its value, and the boxes inside it are its children. Zoomed with a
// click or Enter, moved through with the arrow keys, saved as SVG.
import { BoxChart } from './box_chart.js';
import { colorOf, drawingColors, isDarkTheme } from './colors.js';
import { escapeMarkup } from './dom.js';
import { figureText } from './figures.js';

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

export class Treemap extends BoxChart {
	#boxes = [];

	/** options: those of a BoxChart. */
	constructor(forest, options) {
		super(forest, options, { role: 'treemap', className: 'drawing treemap',
			keys: 'arrow keys choose a box, down goes into it, Enter zooms, Escape shows all' });
	}

	draw() {
		const { clientWidth: width, clientHeight } = this.element;
		const height = Math.max(240, clientHeight - 2);
		if (width === 0)
			return;
		const ratio = devicePixelRatio || 1;
		Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
		Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
		const context = this.canvas.getContext('2d');
		context.scale(ratio, ratio);
		context.font = '12px system-ui, sans-serif';
		context.textBaseline = 'middle';
		this.#boxes = layOutTreemap(this.forest, this.zoomed, width, height);
		const isDark = isDarkTheme();
		const colors = drawingColors(isDark);
		for (const box of this.#boxes)
			this.#drawBox(context, box, colors, isDark);
		const chosen = this.#boxes.find(({ node }) => node === this.chosen);
		if (chosen !== undefined) {
			context.strokeStyle = colors.accent;
			context.lineWidth = 3;
			context.strokeRect(chosen.x + 1.5, chosen.y + 1.5, Math.max(1, chosen.width - 3), Math.max(1, chosen.height - 3));
		}
	}

	#drawBox(context, { node, x, y, width, height }, colors, isDark) {
		const name = this.forest.nameOf(node) ?? 'unknown';
		const isMatch = this.isMatch(node);
		context.fillStyle = node === 0 ? colors.line : isMatch ? colors.match : colorOf(name, isDark);
		context.fillRect(x, y, Math.max(1, width - 1), Math.max(1, height - 1));
		if (width < 30 || height < headHeight)
			return;
		context.fillStyle = isMatch ? colors.matchText : colors.text;
		context.fillText(this.#label(node, name, width), x + 4, y + headHeight / 2);
	}

	#label(node, name, width) {
		const most = Math.floor((width - 8) / letterWidth);
		const text = `${name} ${figureText(this.forest.value(node), this.options.unit)}`;
		if (text.length <= most)
			return text;
		return name.length <= most ? name : `${name.slice(0, Math.max(1, most - 1))}…`;
	}

	boxAt(x, y) {
		return this.#boxes.findLast((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height);
	}

	// Leaves the zoomed box if what is chosen is not in it.
	moveTo(node) {
		let above = node;
		while (above !== this.zoomed && above !== 0)
			above = this.forest.nodes.parent[above];
		if (above !== this.zoomed)
			this.zoomed = this.forest.nodes.parent[node];
		this.choose(node);
	}

	/** What is shown as a file of its own. */
	svg() {
		const [width, height] = [1200, 800];
		const lines = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`];
		for (const box of layOutTreemap(this.forest, this.zoomed, width, height)) {
			const name = this.forest.nameOf(box.node) ?? 'unknown';
			const text = box.width < 30 || box.height < headHeight ? ''
				: `<text x="${(box.x + 4).toFixed(2)}" y="${(box.y + 13).toFixed(2)}">${escapeMarkup(this.#label(box.node, name, box.width))}</text>`;
			lines.push(`<g><title>${escapeMarkup(this.text(box.node))}</title><rect x="${box.x.toFixed(2)}" y="${box.y.toFixed(2)}" ` +
				`width="${Math.max(0.5, box.width - 0.5).toFixed(2)}" height="${Math.max(0.5, box.height - 0.5).toFixed(2)}" ` +
				`fill="${box.node === 0 ? '#d0d7de' : colorOf(name, false)}"/>${text}</g>`);
		}
		return `${lines.join('\n')}\n</svg>\n`;
	}
}
