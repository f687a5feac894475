// SPDX-License-Identifier: MIT
// Code of its own and of the class library: generic methods, a delegate, an exception, and a second thread.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace CodeSizes
{
	class Program
	{
		static int Fibonacci(int number)
		{
			return number < 2 ? number : Fibonacci(number - 1) + Fibonacci(number - 2);
		}

		static T Last<T>(IEnumerable<T> values)
		{
			return values.OrderBy(value => value.ToString()).Last();
		}

		static void Main()
		{
			var thread = new Thread(() => Console.WriteLine(Fibonacci(10)));

			thread.Start();
			thread.Join();
			Console.WriteLine(Last(new[] { 1, 3, 2 }));
			Console.WriteLine(Last(new[] { "b", "a" }));
			try {
				throw new InvalidOperationException();
			} catch (InvalidOperationException) {
				Console.WriteLine(Fibonacci(15));
			}
		}
	}
}
