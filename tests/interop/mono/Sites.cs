// SPDX-License-Identifier: MIT
// Objects whose number and size is known for each place that allocates them. Prints for each class and place: how many,
// how many bytes, and the methods of the program that are on the stack, the innermost first.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Sites
{
	class Shared { public int A; }
	class Direct { public long A, B; }
	class Deep { }
	class Grown { public object A, B, C; }
	class Copied : ICloneable
	{
		public int A;
		public object Clone() { return MemberwiseClone(); }
	}
	class Generic<T> { public T Item; }
	class Late { }
	struct Boxed { public long A; }

	class Program
	{
		static readonly List<object> kept = new List<object>(10000);

		[MethodImpl(MethodImplOptions.NoInlining)]
		static object Make() { return new Shared(); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void One() { kept.Add(Make()); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Two() { kept.Add(Make()); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Here(int count)
		{
			for (int i = 0; i < count; i++)
				kept.Add(new Direct());
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static int Recurse(int depth)
		{
			if (depth > 0)
				return Recurse(depth - 1) + 1;
			kept.Add(new Deep());
			return 0;
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Box(int count)
		{
			for (int i = 0; i < count; i++)
				kept.Add(new Boxed { A = i });
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void MakeArrays(int count)
		{
			for (int i = 0; i < count; i++)
				kept.Add(new Direct[i]);
		}

		// What is allocated by the class library for the program
		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Activate(int count)
		{
			for (int i = 0; i < count; i++)
				kept.Add(Activator.CreateInstance(typeof(Grown)));
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Copy(int count)
		{
			Copied first = new Copied();
			for (int i = 0; i < count; i++)
				kept.Add(first.Clone());
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void MakeGeneric<T>(int count)
		{
			for (int i = 0; i < count; i++)
				kept.Add(new Generic<T>());
		}

		// Deeper than any stack that is recorded
		const int Deepest = 200;

		static string[] Repeat(string method, int count)
		{
			string[] methods = new string[count];
			for (int i = 0; i < count; i++)
				methods[i] = method;
			return methods;
		}

		static void Say(string name, int count, int bytes, params string[] methods)
		{
			Console.WriteLine("site\t" + name + "\t" + count + "\t" + bytes + "\t" +
				string.Join(" < ", methods) + " < Program.Main ()");
		}

		static void Main()
		{
			Action late = () => kept.Add(new Late());
			for (int i = 0; i < 100; i++)
				One();
			for (int i = 0; i < 200; i++)
				Two();
			Here(300);
			Recurse(3);
			Recurse(10);
			Recurse(3);
			Recurse(Deepest);
			Box(70);
			MakeArrays(9);
			Activate(25);
			Copy(35);
			MakeGeneric<int>(45);
			MakeGeneric<string>(55);
			for (int i = 0; i < 65; i++)
				late();

			Say("Sites.Shared", 100, 100 * 24, "Program.Make ()", "Program.One ()");
			Say("Sites.Shared", 200, 200 * 24, "Program.Make ()", "Program.Two ()");
			Say("Sites.Direct", 300, 300 * 32, "Program.Here (int)");
			Say("Sites.Deep", 2, 2 * 16, Repeat("Program.Recurse (int)", 3 + 1));
			Say("Sites.Deep", 1, 16, Repeat("Program.Recurse (int)", 10 + 1));
			Say("Sites.Boxed", 70, 70 * 24, "Program.Box (int)");
			// An array's header takes 32; lengths 0 to 8
			Say("Sites.Direct[]", 9, 9 * 32 + 36 * 8, "Program.MakeArrays (int)");
			Say("Sites.Grown", 25, 25 * 40, "Program.Activate (int)");
			Say("Sites.Copied", 1, 24, "Program.Copy (int)");
			Say("Sites.Copied", 35, 35 * 24, "Copied.Clone ()", "Program.Copy (int)");
			Say("Sites.Generic`1<int>", 45, 45 * 24, "Program.MakeGeneric<int> (int)");
			Say("Sites.Generic`1<string>", 55, 55 * 24, "Program.MakeGeneric<T_REF> (int)");
			Say("Sites.Late", 65, 65 * 16, "Program.<Main>m__0 ()");
		}
	}
}
