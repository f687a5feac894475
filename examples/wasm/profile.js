// SPDX-License-Identifier: MIT
// Profiles of logs, and trees of frames made from them.
import { frameKinds } from './names.js';
import { statusOk } from './statuses.js';
import { View } from './view.js';

const frameSources = { calls: 1, samples: 2, allocations: 3,
	memory: 6, memoryLive: 7, memoryPeak: 8, memoryTemporary: 9 };

// The kind of a class among those of frames: mprof_sample_kind.
const sampleClass = 7;

const profileFlags = {
	withoutCallTree: 1, withCompilations: 2, withCallSites: 4, withMonitorObjects: 8, withDurations: 16,
	withLocations: 32, withAges: 64, rawCounters: 128, foldIdle: 256,
};

/** The analysis of a log. Made by Log.profile(). */
export class Profile extends View {
	constructor(module, log, options) {
		super(module, log);
		this.open(0n);
		const threads = options.threads ?? null;
		const list = module.reserve(8 * (threads?.length ?? 0) + 8);
		if (threads !== null) {
			new BigUint64Array(module.exports.memory.buffer, list, threads.length)
				.set(Array.from(threads, (id) => BigInt(id)));
		}
		let flags = 0;
		for (const [name, bit] of Object.entries(profileFlags))
			flags |= options[name] ? bit : 0;
		const status = module.exports.mprof_js_profile_create(this.pointer, flags,
			BigInt(options.maxMemory ?? 0), options.maxStackDepth ?? 0, options.slowCalls ?? 0,
			options.timelineSlices ?? 0, options.maxSpans ?? 0, options.windowStartNs ?? 0,
			options.windowEndNs ?? 0, options.aliveAtNs ?? 0, threads !== null ? list : 0,
			threads?.length ?? 0);
		if (status !== statusOk) {
			this.close();
			this.check(status);
		}
	}

	read(options) {
		return this.run(this.module.exports.mprof_js_profile_read, options);
	}

	readAll(options) {
		return this.runAll(this.module.exports.mprof_js_profile_read, options);
	}

	totals(options) {
		return this.row('totals', options);
	}

	percentile(method, percent) {
		const duration = this.module.exports.mprof_js_profile_get_percentile(this.pointer, method, percent);
		return duration < 0 ? null : duration;
	}

	ageSiteStack(index) {
		const { exports } = this.module;
		return this.module.getFrames((frames, capacity) =>
			exports.mprof_js_get_age_site_stack(this.pointer, index, frames, capacity));
	}

	findings({ log = 'FILE', maxCount = 0, name = null } = {}) {
		const { module } = this;
		let failure = null;
		module.name = (kind, id) => {
			try {
				return String(name?.(kind, id) ?? this.#nameInSentence(kind, id));
			} catch (error) {
				failure ??= error;
				return '';
			}
		};
		const status = module.exports.mprof_js_findings_create(this.live(), module.encodeText(log), maxCount);
		module.name = null;
		if (failure !== null)
			throw failure;
		this.check(status);
		const { length, kind, text, command, section, severity } = this.table('findings');
		return Array.from({ length }, (_, i) => ({ kind: kind[i], text: text[i], command: command[i],
			section: section[i], severity: severity[i] }));
	}

	#nameInSentence(kind, id) {
		if (kind === sampleClass)
			return id === 0 ? '(unknown)' : this.className(id) ?? '(unknown)';
		const name = kind === frameKinds.method ? this.readableMethodName(id) : this.frameName(kind, id);
		if (kind === frameKinds.module && name !== null)
			return `[${name.slice(name.lastIndexOf('/') + 1)}]`;
		return name ?? '(unknown)';
	}

	frameTree(options = {}) {
		return this.log.addView(new FrameTree(this.module, this, options));
	}
}

/** A tree of frames. Made by Profile.frameTree(). */
export class FrameTree extends View {
	constructor(module, profile, options) {
		const { source = 'calls', inverted = false, maxDepth = 0, hasFocus = false, choose = null } = options;
		const { withLines = false, withLocations = false } = options;
		super(module, profile.log);
		let failure = null;
		module.choose = choose === null ? null : (kind, id) => {
			try {
				return choose(kind, id) >>> 0;
			} catch (error) {
				failure ??= error;
				return 0;
			}
		};
		const status = module.exports.mprof_js_tree_create(this.pointer, profile.pointer,
			frameSources[source] ?? 0, inverted ? 1 : 0, maxDepth, hasFocus ? 1 : 0,
			choose !== null ? 1 : 0, withLines ? 1 : 0, withLocations ? 1 : 0);
		module.choose = null;
		if (status !== statusOk || failure !== null) {
			this.close();
			if (failure !== null)
				throw failure;
			this.check(status);
		}
	}

	finishSource() {}
}
