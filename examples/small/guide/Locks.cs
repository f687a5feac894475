// SPDX-License-Identifier: MIT
// Workers that wait for each other: one lock is held while a file is written that none of the others needs.
using System;
using System.Threading;

class Journal {
	public void Write()
	{
		Thread.Sleep(10);
	}
}

static class Locks {
	static readonly Journal journal = new Journal();

	static void Work()
	{
		for (int i = 0; i < 20; i++)
			lock (journal)
				journal.Write();
	}

	static void Main()
	{
		var workers = new Thread[4];

		for (int i = 0; i < workers.Length; i++) {
			workers[i] = new Thread(Work) { Name = "worker " + i };
			workers[i].Start();
		}
		foreach (var worker in workers)
			worker.Join();
	}
}
