// SPDX-License-Identifier: MIT
// All views, in the groups of the navigation.
import { compareView } from './view_compare.js';
import { eventsView } from './view_events.js';
import { flameView } from './view_flame.js';
import { heapView } from './view_heap.js';
import { heatView } from './view_heat.js';
import { linesView } from './view_lines.js';
import { methodsView } from './view_methods.js';
import { overviewView } from './view_overview.js';
import { tableViews } from './view_tables.js';
import { timelineView } from './view_timeline.js';

const tableView = (wanted) => tableViews.find(({ id }) => id === wanted);
const viewsOf = (...ids) => ids.map(tableView);

const groups = {
	time: { title: 'Time', views: [flameView, methodsView, timelineView, heatView, ...viewsOf('samples'), linesView, ...viewsOf('spans')] },
	memory: { title: 'Memory', views: [heapView, ...viewsOf('memory', 'classes', 'sites', 'collections', 'handles')] },
	threads: { title: 'Threads', views: viewsOf('threads', 'monitors', 'exceptions') },
	log: { title: 'Log', views: [...viewsOf('metrics', 'marks'), eventsView] },
};

const allViews = [overviewView, compareView, ...Object.values(groups).flatMap(({ views }) => views)];

/** The view with an ID, the overview if there is none. */
export function viewOf(wanted) {
	return allViews.find(({ id }) => id === wanted) ?? overviewView;
}

/** The views that have something to show of a log; content: the answer to the question "overview". */
export function filledViews(content) {
	return allViews.filter((view) => view.isFilled?.(content) ?? true);
}

// What a log was recorded for decides which group comes first.
function orderOf({ totals, rows }) {
	const hasTime = totals.calls > 0 || totals.samples > 0;
	if (!hasTime && rows.monitors > 0 && rows.heap_shots === 0)
		return ['threads', 'time', 'memory', 'log'];
	return !hasTime && (rows.heap_shots > 0 || rows.memory_sites > 0 || totals.allocations > 0)
		? ['memory', 'time', 'threads', 'log'] : ['time', 'memory', 'threads', 'log'];
}

/** The groups of views to show: {title, views}. The current view is among them in any case. */
export function arrangeGroups(content, current, comparison) {
	const filled = filledViews(content);
	const first = { title: null, views: comparison === null && current !== compareView.id ? [overviewView] : [overviewView, compareView] };
	const others = orderOf(content).map((name) => groups[name]).map(({ title, views }) =>
		({ title, views: views.filter((view) => filled.includes(view) || view.id === current) }));
	return [first, ...others.filter(({ views }) => views.length > 0)];
}
