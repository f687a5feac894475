// SPDX-License-Identifier: MIT
// Methods for which the compiler generates names: async methods, iterators and lambdas.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Readable
{
	class Outer<T>
	{
		public static async Task<int> Work(int number)
		{
			await Task.Yield();
			return number;
		}

		public static IEnumerable<int> Numbers(int count)
		{
			for (int i = 0; i < count; i++)
				yield return i;
		}
	}

	class Program
	{
		static async Task Alone()
		{
			await Task.Yield();
		}

		static void Main()
		{
			int captured = Environment.TickCount;
			Func<int, int> plain = x => x + 1;
			Func<int, int> closure = x => x + captured;
			Func<Task> later = async () => { await Task.Yield(); };
			plain(1);
			closure(2);
			later().Wait();
			Alone().Wait();
			Outer<int>.Work(3).Wait();
			foreach (int number in Outer<string>.Numbers(3))
				captured = number;
		}
	}
}
