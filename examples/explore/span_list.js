// SPDX-License-Identifier: MIT
// Spans of time in the order of their starts, which do not overlap, as columns that grow.

function grown(array, capacity) {
	const larger = new array.constructor(capacity);
	larger.set(array);
	return larger;
}

export class SpanList {
	count = 0;

	constructor(capacity = 16) {
		this.start = new Float64Array(capacity);
		this.end = new Float64Array(capacity);
		this.name = new Uint32Array(capacity);
	}

	add(start, end, name) {
		const at = this.count++;
		if (at === this.start.length) {
			const capacity = 2 * at;
			this.start = grown(this.start, capacity);
			this.end = grown(this.end, capacity);
			this.name = grown(this.name, capacity);
		}
		this.start[at] = start;
		this.end[at] = end;
		this.name[at] = name;
	}

	/** The columns without unused room. */
	columns() {
		return { start: this.start.slice(0, this.count), end: this.end.slice(0, this.count), name: this.name.slice(0, this.count) };
	}
}
