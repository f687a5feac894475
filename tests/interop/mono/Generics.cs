// SPDX-License-Identifier: MIT
// Methods of generic types: each type of value has code of its own, all types of objects share one.
using System;

namespace Generics
{
	struct Value { public int A; }

	class Bag<T>
	{
		T item;
		public void Put(T value) { item = value; }
		public T Take() { return item; }
		public U Convert<U>(Func<T, U> function) { return function(item); }

		public class Entry
		{
			public static int Count(T value) { return value == null ? 0 : 1; }
		}
	}

	class Program
	{
		static T Same<T>(T value) { return value; }

		static int Length(string text) { return text.Length; }

		static void Expect(string type, string method, int calls)
		{
			Console.WriteLine("calls\t" + type + "\t" + method + "\t" + calls);
		}

		static void Main()
		{
			var ints = new Bag<int>();
			var values = new Bag<Value>();
			var strings = new Bag<string>();
			var objects = new Bag<object>();

			for (int i = 0; i < 5; i++)
				ints.Put(i);
			for (int i = 0; i < 6; i++)
				values.Put(new Value());
			for (int i = 0; i < 7; i++)
				strings.Put("x");
			for (int i = 0; i < 8; i++)
				objects.Put(i);
			for (int i = 0; i < 9; i++)
				ints.Take();
			for (int i = 0; i < 10; i++)
				strings.Convert<int>(Length);
			for (int i = 0; i < 11; i++)
				Same<long>(i);
			for (int i = 0; i < 12; i++)
				Same<string>("x");
			for (int i = 0; i < 13; i++)
				Bag<byte>.Entry.Count(1);

			Expect("Generics.Bag`1<int>", "Put (int)", 5);
			Expect("Generics.Bag`1<Generics.Value>", "Put (Generics.Value)", 6);
			Expect("Generics.Bag`1<T_REF>", "Put (T_REF)", 15);
			Expect("Generics.Bag`1<int>", "Take ()", 9);
			Expect("Generics.Program", "Length (string)", 10);
			Expect("Generics.Program", "Same<long> (long)", 11);
			Expect("Generics.Program", "Same<T_REF> (T_REF)", 12);
			Expect("Generics.Bag`1/Entry<byte>", "Count (byte)", 13);
		}
	}
}
