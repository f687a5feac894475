// SPDX-License-Identifier: MIT
// What drawings use of the context of a canvas, as SVG: they are saved by drawing them once more.
import { escapeMarkup } from './dom.js';

const round = (value) => String(Math.round(value * 100) / 100);

export class SvgContext {
	fillStyle = '#000000';
	strokeStyle = '#000000';
	lineWidth = 1;
	font = '';
	textBaseline = 'middle';
	#left = 0;
	#top = 0;
	#path = [];
	#lines = [];

	/** Moves what is drawn from here on. */
	moveTo(left, top) {
		this.#left = left;
		this.#top = top;
	}

	#attributes(x, y, width, height) {
		return `x="${round(x + this.#left)}" y="${round(y + this.#top)}" width="${round(width)}" height="${round(height)}"`;
	}

	fillRect(x, y, width, height) {
		this.#lines.push(`<rect ${this.#attributes(x, y, width, height)} fill="${escapeMarkup(this.fillStyle)}"/>`);
	}

	strokeRect(x, y, width, height) {
		this.#lines.push(`<rect ${this.#attributes(x, y, width, height)} fill="none" stroke="${escapeMarkup(this.strokeStyle)}" ` +
			`stroke-width="${this.lineWidth}"/>`);
	}

	fillText(text, x, y) {
		const shift = this.textBaseline === 'middle' ? 4 : 10;
		this.#lines.push(`<text x="${round(x + this.#left)}" y="${round(y + this.#top + shift)}" fill="${escapeMarkup(this.fillStyle)}">` +
			`${escapeMarkup(text)}</text>`);
	}

	beginPath() {
		this.#path = [];
	}

	lineTo(x, y) {
		this.#path.push(`${round(x + this.#left)},${round(y + this.#top)}`);
	}

	stroke() {
		this.#lines.push(`<polyline points="${this.#path.join(' ')}" fill="none" stroke="${escapeMarkup(this.strokeStyle)}" ` +
			`stroke-width="${this.lineWidth}"/>`);
	}

	/** The whole file. */
	finish(width, height) {
		return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="11">\n` +
			`<rect width="100%" height="100%" fill="#ffffff"/>\n${this.#lines.join('\n')}\n</svg>\n`;
	}
}
