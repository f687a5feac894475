// SPDX-License-Identifier: MIT
// Awaits as often as each line of the input states, and prints a line when that is done: Awaits.exe TASKS
// TASKS tasks wait beside each other, each as often, in one call of an async method for the whole run.

using System;
using System.Linq;
using System.Threading.Tasks;

class Awaits
{
	static async Task Each(int times)
	{
		for (int i = 0; i < times; i++) {
			await Task.Delay(1);
			// Continued by another thread at once, perhaps before this one has returned.
			await Task.Run(() => { });
			if (i % 10 == 0)
				GC.Collect(0);
		}
	}

	static async Task Loop(int tasks)
	{
		for (string line; (line = Console.ReadLine()) != null;) {
			int times = int.Parse(line);

			for (int i = 0; i < times; i++)
				await Task.Delay(2);
			await Task.WhenAll(Enumerable.Range(0, tasks).Select(i => Each(times)));
			Console.WriteLine("done");
		}
	}

	static void Main(string[] arguments)
	{
		Loop(int.Parse(arguments[0])).Wait();
	}
}
