// SPDX-License-Identifier: MIT
// The part of a log that has arrived, as a log that has ended: views that need an end can be made before all of it has
// arrived. Runs in the worker.

/** How much of the log has to be new before a part is made again. */
const leastGrowth = 1.25;

export class LogPart {
	#mprof;
	#log;
	#part = null;
	#bytes = 0;

	constructor(mprof, log) {
		this.#mprof = mprof;
		this.#log = log;
	}

	/** Whether the whole log has arrived. */
	get isWhole() {
		return this.#log.finished;
	}

	/**
	 * The log, or what has arrived of it. release() is called if another part was returned before, which is closed
	 * with its views.
	 */
	async get(release) {
		if (this.#log.finished) {
			this.#drop(release);
			return this.#log;
		}
		if (this.#part !== null && this.#log.byteLength < leastGrowth * this.#bytes)
			return this.#part;
		this.#drop(release);
		const size = this.#log.byteLength;
		this.#bytes = size;
		this.#part = await this.#mprof.open({ size, read: (position, target) =>
			this.#log.copyBytes(position, target.subarray(0, Math.max(0, Math.min(target.length, size - position)))) });
		return this.#part;
	}

	#drop(release) {
		if (this.#part === null)
			return;
		release();
		this.#part.close();
		this.#part = null;
	}
}
