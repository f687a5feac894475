// SPDX-License-Identifier: MIT
// Lets other tasks run during long work: messages of a worker, drawing of a page.

export function yieldToTasks() {
	return new Promise((resolve) => setTimeout(resolve, 0));
}
