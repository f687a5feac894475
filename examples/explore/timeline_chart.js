// SPDX-License-Identifier: MIT
// Tracks of a timeline below each other, each on a canvas: moved through with the wheel, the pointer and keys. Only
// tracks in view are drawn.
import { drawingColors, isDarkTheme } from './colors.js';
import { announce, element } from './dom.js';
import { timeText } from './figures.js';
import { SvgContext } from './svg_context.js';

// A press that moves less is a click, in pixels.
const leastDrag = 4;

// How near a span has to be to be meant, in pixels.
const nearby = 2;

const maxRatio = 2;

// Of files.
const labelHeight = 18;

export class TimelineChart {
	#tracks = [];
	#frame = 0;
	#selection = {};
	#options;
	#width = 0;
	#chosen = null;
	#press = null;
	#observer;
	#sizes;
	#tooltip = element('div', { class: 'tooltip', hidden: true });
	frames = 0;

	/**
	 * window: a TimeWindow. options: onMove() after what is shown has changed, onSelect(from, to), onChoose(found) with
	 * what a track describes, or null.
	 */
	constructor(window, options) {
		this.window = window;
		this.#options = options;
		this.element = element('div', { class: 'timeline' }, this.#tooltip);
		this.#observer = new IntersectionObserver((entries) => this.#see(entries), { root: this.element, rootMargin: '200px' });
		this.#sizes = new ResizeObserver(() => this.redraw());
		this.#sizes.observe(this.element);
	}

	/** Adds a track, to an element of the chart or the chart itself; head is shown above it. */
	add(track, label, head = [], className = 'lane', parent = this.element) {
		const canvas = element('canvas', { class: className, tabindex: 0, role: 'application', 'aria-roledescription': 'timeline',
			'aria-label': `${label}: arrow keys move, plus and minus zoom, Enter chooses a call` });
		const place = { track, label, canvas, isVisible: false, isAxis: className === 'axis' };
		this.#tracks.push(place);
		parent.append(element('section', { class: `track ${className}-track` }, ...head, canvas));
		canvas.style.height = `${track.height}px`;
		this.#observer.observe(canvas);
		canvas.addEventListener('wheel', (event) => this.#wheel(event, place), { passive: false });
		canvas.addEventListener('pointerdown', (event) => this.#down(event, place));
		canvas.addEventListener('pointermove', (event) => this.#hover(event, place));
		canvas.addEventListener('pointerup', (event) => this.#up(event, place));
		canvas.addEventListener('pointerleave', () => { this.#tooltip.hidden = true; });
		canvas.addEventListener('dblclick', () => this.zoomToChosen());
		canvas.addEventListener('keydown', (event) => this.#key(event, place));
	}

	/** The tracks that are in view. */
	get visibleTracks() {
		return this.#tracks.filter(({ isVisible }) => isVisible).map(({ track }) => track);
	}

	get tracks() {
		return this.#tracks.map(({ track }) => track);
	}

	/** Shows which time is selected. */
	select(selection) {
		this.#selection = selection;
		this.redraw();
	}

	/** The heights of tracks have changed. */
	resize() {
		for (const { track, canvas } of this.#tracks)
			canvas.style.height = `${track.height}px`;
		this.redraw();
	}

	redraw() {
		if (this.#frame === 0)
			this.#frame = requestAnimationFrame(() => this.draw());
	}

	show(from, to) {
		this.window.show(from, to);
		this.#moved();
	}

	zoomToChosen() {
		const found = this.#chosen?.found;
		if (found?.from === undefined)
			return;
		const margin = Math.max(1, found.to - found.from) * 0.02;
		this.show(found.from - margin, found.to + margin);
	}

	get chosen() {
		return this.#chosen?.found ?? null;
	}

	#moved() {
		this.#options.onMove?.();
		this.redraw();
	}

	#see(entries) {
		for (const { target, isIntersecting } of entries) {
			const place = this.#tracks.find(({ canvas }) => canvas === target);
			place.isVisible = isIntersecting;
		}
		this.#options.onMove?.();
		this.redraw();
	}

	/** Draws at once. */
	draw() {
		cancelAnimationFrame(this.#frame);
		this.#frame = 0;
		this.frames++;
		const isDark = isDarkTheme();
		const colors = drawingColors(isDark);
		const visible = this.#tracks.filter(({ isVisible }) => isVisible);
		// Reading sizes between drawings would lay out the page each time.
		this.#width = visible[0]?.canvas.clientWidth ?? 0;
		for (const place of visible)
			this.#drawTrack(place, colors, isDark);
	}

	#drawTrack({ track, canvas }, colors, isDark) {
		const ratio = Math.min(devicePixelRatio || 1, maxRatio);
		const width = this.#width;
		const { height } = track;
		if (width === 0)
			return;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
		}
		const context = canvas.getContext('2d');
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		context.font = '11px system-ui, sans-serif';
		context.textBaseline = 'middle';
		track.draw(context, this.window, width, colors, isDark);
		this.#drawOverlay(context, track, width, colors);
	}

	#drawOverlay(context, track, width, colors) {
		const x = (time) => (time - this.window.from) / this.window.length * width;
		const { from, to } = this.#selection;
		if (from !== undefined || to !== undefined) {
			const left = Math.max(0, x(from ?? this.window.start));
			const right = Math.min(width, x(to ?? this.window.end));
			context.fillStyle = colors.selected;
			if (right > left)
				context.fillRect(left, 0, Math.max(1, right - left), track.height);
		}
		if (this.#chosen?.track !== track || this.#chosen.found.call === undefined)
			return;
		const place = track.place(this.#chosen.found.call, this.window, width);
		const left = Math.max(-3, place.left);
		context.strokeStyle = colors.accent;
		context.lineWidth = 2;
		context.strokeRect(left + 1, place.top + 1, Math.max(2, Math.min(width + 3, place.left + place.width) - left - 2), place.height - 2);
	}

	/** The tracks as a file of SVG: what is shown of each. */
	svg() {
		const context = new SvgContext();
		const width = 1200;
		let top = 4;
		for (const { track, label } of this.#tracks) {
			context.moveTo(0, top);
			context.fillStyle = drawingColors(false).faint;
			context.fillText(label, 2, 8);
			context.moveTo(0, top + labelHeight);
			track.draw(context, this.window, width, drawingColors(false), false);
			top += labelHeight + track.height + 4;
		}
		return context.finish(width, top);
	}

	#timeAt(event, canvas) {
		const place = canvas.getBoundingClientRect();
		const share = Math.min(1, Math.max(0, (event.clientX - place.left) / place.width));
		return this.window.from + share * this.window.length;
	}

	#find(event, { track, canvas }) {
		const place = canvas.getBoundingClientRect();
		return track.describe(this.#timeAt(event, canvas), event.clientY - place.top, nearby * this.window.length / place.width);
	}

	#wheel(event, { canvas }) {
		event.preventDefault();
		const lines = event.deltaMode === 1 ? 16 : 1;
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.window.move((event.deltaX || event.deltaY) * lines / canvas.clientWidth);
		else
			this.window.zoom(Math.exp(event.deltaY * lines * 0.002), this.#timeAt(event, canvas));
		this.#moved();
	}

	#down(event, { canvas, isAxis }) {
		if (event.button > 1)
			return;
		const isMoving = isAxis || event.button === 1 || event.shiftKey;
		this.#press = { x: event.clientX, time: this.#timeAt(event, canvas), isMoving, hasMoved: false,
			from: this.window.from, to: this.window.to };
		canvas.setPointerCapture(event.pointerId);
	}

	#hover(event, place) {
		const press = this.#press;
		if (press === null) {
			this.#describe(event, this.#find(event, place)?.text);
			return;
		}
		press.hasMoved ||= Math.abs(event.clientX - press.x) >= leastDrag;
		if (!press.hasMoved)
			return;
		if (press.isMoving) {
			const shift = (press.x - event.clientX) / place.canvas.clientWidth * (press.to - press.from);
			this.show(press.from + shift, press.to + shift);
			return;
		}
		const ends = [press.time, this.#timeAt(event, place.canvas)].sort((a, b) => a - b);
		this.#selection = { from: ends[0], to: ends[1] };
		this.#describe(event, `${timeText(ends[0])} to ${timeText(ends[1])}: ${timeText(ends[1] - ends[0])}`);
		this.redraw();
	}

	#describe(event, text) {
		this.#tooltip.hidden = text === undefined;
		if (text === undefined)
			return;
		this.#tooltip.textContent = text;
		this.#tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - 340))}px`;
		this.#tooltip.style.top = `${Math.min(event.clientY + 16, innerHeight - 80)}px`;
	}

	#up(event, place) {
		const press = this.#press;
		this.#press = null;
		if (press === null || press.isMoving)
			return;
		if (!press.hasMoved) {
			const found = this.#find(event, place);
			this.choose(place.track, found?.from === undefined ? null : found);
			return;
		}
		const { from, to } = this.#selection;
		if (to > from)
			this.#options.onSelect?.(Math.floor(from), Math.ceil(to));
	}

	/** Chooses what a track describes. */
	choose(track, found) {
		this.#chosen = found === null ? null : { track, found };
		if (found !== null)
			announce(found.text);
		this.#options.onChoose?.(found, track);
		this.redraw();
	}

	// Moves so that what is chosen is in view.
	#follow({ from, to }) {
		const { window } = this;
		if (to >= window.from && from <= window.to)
			return;
		const middle = (from + to) / 2;
		this.show(middle - window.length / 2, middle + window.length / 2);
	}

	#key(event, { track }) {
		const call = this.#chosen?.track === track ? this.#chosen.found.call : undefined;
		const step = (direction) => {
			const found = call === undefined ? null : track.neighbour(call, direction);
			if (found !== null) {
				this.choose(track, found);
				this.#follow(found);
			}
		};
		const move = (share) => {
			this.window.move(share);
			this.#moved();
		};
		const zoom = (factor) => {
			this.window.zoom(factor);
			this.#moved();
		};
		const actions = {
			ArrowLeft: () => (call === undefined ? move(-0.15) : step('before')),
			ArrowRight: () => (call === undefined ? move(0.15) : step('next')),
			ArrowUp: call === undefined ? undefined : () => step('caller'),
			ArrowDown: call === undefined ? undefined : () => step('callee'),
			a: () => move(-0.15), d: () => move(0.15), w: () => zoom(0.7), s: () => zoom(1 / 0.7),
			'+': () => zoom(0.7), '-': () => zoom(1 / 0.7), '=': () => zoom(0.7),
			0: () => this.show(this.window.start, this.window.end),
			Home: () => this.show(this.window.start, this.window.start + this.window.length),
			End: () => this.show(this.window.end - this.window.length, this.window.end),
			Enter: () => (call === undefined
				? this.choose(track, track.callNear?.((this.window.from + this.window.to) / 2) ?? null) : this.zoomToChosen()),
			Escape: () => this.choose(track, null),
		};
		const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
		if (action === undefined)
			return;
		event.preventDefault();
		action();
	}
}
