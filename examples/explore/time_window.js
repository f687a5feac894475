// SPDX-License-Identifier: MIT
// The part of the run that a timeline shows.

// The shortest time that is shown, in nanoseconds.
const leastTime = 20;

const steps = [1, 2, 5];

export class TimeWindow {
	/** From the start to the end of the run, in nanoseconds. */
	constructor(start, end) {
		this.start = start;
		this.end = Math.max(end, start + leastTime);
		this.from = this.start;
		this.to = this.end;
	}

	get isWhole() {
		return this.from === this.start && this.to === this.end;
	}

	get length() {
		return this.to - this.from;
	}

	/** Shows a time, or as much of it as the run has. */
	show(from, to) {
		const whole = this.end - this.start;
		const length = Math.min(whole, Math.max(leastTime, to - from));
		this.from = Math.min(this.end - length, Math.max(this.start, from));
		this.to = this.from + length;
	}

	/** Shows the shown time times a factor; what is at a time stays where it is. */
	zoom(factor, at = (this.from + this.to) / 2) {
		const length = Math.min(this.end - this.start, Math.max(leastTime, this.length * factor));
		const share = (at - this.from) / this.length;
		this.show(at - share * length, at + (1 - share) * length);
	}

	/** Moves by a share of what is shown. */
	move(share) {
		this.show(this.from + share * this.length, this.to + share * this.length);
	}

	/** Times of lines at round numbers, at most that many. */
	ticks(most) {
		let step = 10 ** Math.floor(Math.log10(this.length / most));
		step = step * (steps.find((size) => this.length / (size * step) <= most) ?? 10);
		const ticks = [];
		for (let i = Math.ceil(this.from / step); i * step <= this.to; i++)
			ticks.push(i * step);
		return { ticks, step };
	}
}

/** The index of the first value of a sorted array that is at least what is wanted, from a first index on. */
export function lowerBound(values, wanted, first = 0) {
	// Steps that double find near values without going through the whole array.
	let low = first;
	let step = 1;
	while (low + step < values.length && values[low + step] < wanted) {
		low += step;
		step *= 2;
	}
	let high = Math.min(values.length, low + step + 1);
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (values[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
