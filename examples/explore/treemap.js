// SPDX-License-Identifier: MIT
// A treemap: the area of each box is its value, and the boxes inside it are its children.
import { BoxChart } from './box_chart.js';
import { classColor } from './colors.js';
import { figureText } from './figures.js';
import { shortName } from './short_name.js';

const headHeight = 17;
const leastHeight = 240;
const leastSide = 5;
const leastInside = 34;

// Of a picture that is saved.
const pictureHeight = 800;

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
	/** options: as those of a BoxChart. */
	constructor(forest, options) {
		super(forest, { noun: 'classes', ...options }, { style: 'treemap', help: 'arrow keys choose a box, down goes into it, Enter zooms, Escape shows all' });
	}

	layOut(width, height = pictureHeight) {
		const whole = Math.max(leastHeight, height - 2);
		return { height: whole, boxes: layOutTreemap(this.forest, this.zoomed, width, whole) };
	}

	colorOf(node) {
		return classColor(this.forest.nameOf(node));
	}

	labelOf({ node, height }, columns) {
		if (height < headHeight)
			return '';
		const name = this.forest.nameOf(node) ?? 'unknown';
		const text = `${name} ${figureText(this.forest.value(node), this.options.unit)}`;
		return text.length <= columns ? text : shortName(name, columns);
	}
}
