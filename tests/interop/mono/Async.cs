// SPDX-License-Identifier: MIT
// Async methods that allocate a known number of objects after they have waited: Async.exe TIMES [SECONDS]
// What they wait for is completed, in the thread pool, only when all that are started wait.
// With SECONDS, one of them computes for this processor time afterwards.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;

class Item { }
class Paired : Item { }
class Shared : Item { }
class Tried : Item { }
class Begun : Item { }
class Late : Item { }

class Async
{
	static readonly List<Item> kept = new List<Item>();

	static readonly Queue<TaskCompletionSource<int>> waiting = new Queue<TaskCompletionSource<int>>();

	static void Keep(Item item)
	{
		kept.Add(item);
	}

	static Task Wait()
	{
		var wait = new TaskCompletionSource<int>();

		waiting.Enqueue(wait);
		return wait.Task;
	}

	static void Complete(Task task)
	{
		while (!task.IsCompleted) {
			var wait = waiting.Dequeue();

			Task.Run(() => wait.SetResult(0)).Wait();
		}
	}

	static async Task<int> Leaf(int number)
	{
		Keep(new Begun());
		await Wait();
		Keep(new Item());
		return number;
	}

	static async Task<int> Middle(int number)
	{
		int first = await Leaf(number);
		return first + await Leaf(number);
	}

	static async Task Outer(int times)
	{
		for (int i = 0; i < times; i++)
			await Middle(i);
	}

	static async Task One()
	{
		await Wait().ConfigureAwait(false);
		Keep(new Paired());
	}

	static async Task Both(int times)
	{
		for (int i = 0; i < times; i++)
			await Task.WhenAll(One(), One());
	}

	static async Task<T> Get<T>(T value)
	{
		await Wait();
		Keep(new Shared());
		return value;
	}

	static async Task<string> UseGeneric(int times)
	{
		string last = null;

		for (int i = 0; i < times; i++)
			last = await Get("value");
		return last;
	}

	static async Task Fail()
	{
		await Wait();
		throw new InvalidOperationException("expected");
	}

	static async Task Catch(int times)
	{
		for (int i = 0; i < times; i++) {
			try {
				await Fail();
			} catch (InvalidOperationException) {
				Keep(new Tried());
			}
		}
	}

	static async Task Compute(double seconds)
	{
		await Wait();
		Spin(seconds);
	}

	static void Spin(double seconds)
	{
		var process = Process.GetCurrentProcess();
		var end = process.TotalProcessorTime + TimeSpan.FromSeconds(seconds);

		while (process.TotalProcessorTime < end)
			Work(100000);
	}

	static int Work(int steps)
	{
		int result = 1;

		for (int i = 0; i < steps; i++)
			result = result * 31 + i;
		return result;
	}

	static async Task Order(double seconds)
	{
		await Compute(seconds);
	}

	static async void Forget(TaskCompletionSource<int> done)
	{
		await Wait();
		Keep(new Late());
		done.SetResult(0);
	}

	static void Main(string[] arguments)
	{
		int times = int.Parse(arguments[0]);
		var done = new TaskCompletionSource<int>();

		Complete(Outer(times));
		Complete(Both(times));
		Complete(UseGeneric(times));
		Complete(Catch(times));
		Forget(done);
		Complete(done.Task);
		if (arguments.Length > 1)
			Complete(Order(double.Parse(arguments[1])));
		Console.WriteLine(kept.Count);
	}
}
