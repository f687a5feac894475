// SPDX-License-Identifier: MIT
// Allocates the same objects again and again with stacks whose frames are hard to walk: of methods that change the stack
// pointer, in finally blocks, under native frames. Prints what Sites.cs prints.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Sites
{
	class Stepped { public int A; }

	class Steps
	{
		const int rounds = 200;
		static object kept;

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static void Make() { kept = new Stepped(); }

		// The frame is larger in every other call.
		[MethodImpl(MethodImplOptions.NoInlining)]
		static unsafe int Grow(int bytes)
		{
			if (bytes > 0) {
				byte* room = stackalloc byte[bytes];
				room[0] = 1;
				Make();
				return room[0];
			}
			Make();
			return 0;
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Odd(int bytes) { Grow(bytes); kept = null; }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Even(int bytes) { Grow(bytes); kept = null; }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Last(bool throws)
		{
			try {
				if (throws)
					throw new InvalidOperationException();
			} finally {
				Make();
			}
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Leave() { Last(false); kept = null; }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Throw()
		{
			try {
				Last(true);
			} catch (InvalidOperationException) {
			}
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Invoke(MethodInfo method) { method.Invoke(null, null); kept = null; }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void InvokeToo(MethodInfo method) { method.Invoke(null, null); kept = null; }

		// Its caller's frame differs in size, and its own has no frame pointer.
		[MethodImpl(MethodImplOptions.NoInlining)]
		static int Thin(int number) { Make(); return number; }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static unsafe int Vary(int bytes)
		{
			if (bytes % 3 == 0)
				return Thin(bytes);
			byte* room = stackalloc byte[bytes];
			room[0] = 1;
			return Thin(room[0]);
		}

		// Deeper than what is recorded and than what is remembered of a stack.
		[MethodImpl(MethodImplOptions.NoInlining)]
		static int Descend(int depth)
		{
			if (depth > 0)
				return Descend(depth - 1) + 1;
			Make();
			return 0;
		}

		static void Print(string methods)
		{
			Console.WriteLine("site\tSites.Stepped\t" + rounds + "\t" + rounds * 24 + "\t" + methods);
		}

		static void Main()
		{
			MethodInfo method = typeof(Steps).GetMethod("Make");

			for (int i = 0; i < rounds; i++) {
				Odd(i % 2 * 100 + i % 3 * 16);
				Even(i % 2 * 100);
				Leave();
				Throw();
				Invoke(method);
				InvokeToo(method);
				Vary(i * 7 % 100);
				Descend(i % 4 == 3 ? 900 : 32 + i);
			}
			Print("Steps.Make () < Steps.Grow (int) < Steps.Odd (int) < Steps.Main ()");
			Print("Steps.Make () < Steps.Grow (int) < Steps.Even (int) < Steps.Main ()");
			Print("Steps.Make () < Steps.Last (bool) < Steps.Leave () < Steps.Main ()");
			Print("Steps.Make () < Steps.Last (bool) < Steps.Throw () < Steps.Main ()");
			Print("Steps.Make () < Steps.Invoke (System.Reflection.MethodInfo) < Steps.Main ()");
			Print("Steps.Make () < Steps.InvokeToo (System.Reflection.MethodInfo) < Steps.Main ()");
			Print("Steps.Make () < Steps.Thin (int) < Steps.Vary (int) < Steps.Main ()");
			string deepest = "Steps.Make ()";
			for (int i = 1; i < 32; i++)
				deepest += " < Steps.Descend (int)";
			Print(deepest);
		}
	}
}
