// SPDX-License-Identifier: MIT
// Exceptions thrown at several places. Prints how many are thrown at each, with the program's methods on the stack.
using System;
using System.Reflection;

namespace Thrown
{
	class Problem : Exception { }

	class Program
	{
		static void Deep(int depth)
		{
			if (depth == 0)
				throw new Problem();
			Deep(depth - 1);
		}

		static void One()
		{
			try { Deep(2); } catch (Problem) { }
		}

		static void Two()
		{
			try { Deep(0); } catch (Problem) { throw; }
		}

		static void Divide(int by)
		{
			try { by = 1 / by; } catch (DivideByZeroException) { }
		}

		static void Unlock()
		{
			try { System.Threading.Monitor.Exit(new object()); } catch (System.Threading.SynchronizationLockException) { }
		}

		static void Reflect()
		{
			MethodInfo method = typeof(Program).GetMethod("Deep", BindingFlags.NonPublic | BindingFlags.Static);
			try { method.Invoke(null, new object[] {1}); } catch (TargetInvocationException) { }
		}

		static void Expect(string type, int count, string stack)
		{
			Console.WriteLine("site\t" + type + "\t" + count + "\t" + stack);
		}

		static void Main()
		{
			for (int i = 0; i < 30; i++)
				One();
			for (int i = 0; i < 20; i++)
				try { Two(); } catch (Problem) { }
			for (int i = 0; i < 10; i++)
				Divide(0);
			Unlock();
			Reflect();
			string deep = "Program.Deep (int)";
			Expect("Thrown.Problem", 30, deep + " < " + deep + " < " + deep + " < Program.One () < Program.Main ()");
			Expect("Thrown.Problem", 20, deep + " < Program.Two () < Program.Main ()");
			Expect("Thrown.Problem", 20, "Program.Two () < Program.Main ()");
			Expect("System.DivideByZeroException", 10, "Program.Divide (int) < Program.Main ()");
			Expect("System.Threading.SynchronizationLockException", 1, "Program.Unlock () < Program.Main ()");
			Expect("Thrown.Problem", 1, deep + " < " + deep + " < Program.Reflect () < Program.Main ()");
		}
	}
}
