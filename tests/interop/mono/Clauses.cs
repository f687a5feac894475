// SPDX-License-Identifier: MIT
// Exceptions that run clauses of all kinds. Prints how often each clause runs because of an exception.
using System;

namespace Clauses
{
	class Problem : Exception { }

	class Program
	{
		static int cleaned;

		static void Throw()
		{
			throw new Problem();
		}

		static void Plain()
		{
			try { Throw(); } catch (Problem) { }
		}

		static void Second()
		{
			try { Throw(); } catch (InvalidOperationException) { } catch (Problem) { }
		}

		static void Filtered(int number)
		{
			try {
				try { Throw(); } catch (Problem) when (number % 2 == 0) { }
			} catch (Exception) { }
		}

		static void Cleaned()
		{
			try {
				try { Throw(); } finally { cleaned++; }
			} catch (Problem) { }
		}

		static void Quiet()
		{
			try { cleaned++; } finally { cleaned++; }
		}

		static void Divide(int by)
		{
			try { by = 1 / by; } catch (DivideByZeroException) { }
		}

		static void Expect(string method, string kind, int clause, string type, int count)
		{
			Console.WriteLine("{0}\t{1}\t{2}\t{3}\t{4}", method, kind, clause, type, count);
		}

		static void Main()
		{
			for (int i = 0; i < 30; i++)
				Plain();
			for (int i = 0; i < 20; i++)
				Second();
			for (int i = 0; i < 10; i++)
				Filtered(i);
			for (int i = 0; i < 7; i++)
				Cleaned();
			for (int i = 0; i < 5; i++)
				Quiet();
			for (int i = 0; i < 3; i++)
				Divide(0);
			Expect("Plain ()", "catch", 0, "Clauses.Problem", 30);
			Expect("Second ()", "catch", 1, "Clauses.Problem", 20);
			Expect("Filtered (int)", "filter", 0, "Clauses.Problem", 10);
			Expect("Filtered (int)", "catch", 0, "Clauses.Problem", 5);
			Expect("Filtered (int)", "catch", 1, "Clauses.Problem", 5);
			Expect("Cleaned ()", "finally", 0, "Clauses.Problem", 7);
			Expect("Cleaned ()", "catch", 1, "Clauses.Problem", 7);
			Expect("Divide (int)", "catch", 0, "System.DivideByZeroException", 3);
		}
	}
}
