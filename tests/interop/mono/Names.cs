// SPDX-License-Identifier: MIT
// Names in other scripts than ours, of namespaces, classes, methods and threads.
using System;
using System.Threading;

namespace Größe
{
	class Straße
	{
		public static int Zählen(int n) { return n + 1; }
	}

	class Имя<T>
	{
		public static int Счёт(T один) { return 1; }
	}

	class 名前
	{
		public int 数える() { return 1; }
		public int Ünïcödé { get { return 1; } }
	}

	class Program
	{
		static void Main()
		{
			int sum = 0;
			for (int i = 0; i < 11; i++)
				sum = Straße.Zählen(sum);
			for (int i = 0; i < 12; i++)
				sum += Имя<int>.Счёт(i);
			名前 made = new 名前();
			for (int i = 0; i < 13; i++)
				sum += made.数える() + made.Ünïcödé;
			Thread thread = new Thread(() => new 名前()) { Name = "ниточка 糸 🧵" };
			thread.Start();
			thread.Join();

			Console.OutputEncoding = new System.Text.UTF8Encoding(false);
			Console.WriteLine("calls\tGröße.Straße\tZählen (int)\t11");
			Console.WriteLine("calls\tGröße.Имя`1<int>\tСчёт (int)\t12");
			Console.WriteLine("calls\tGröße.名前\t数える ()\t13");
			Console.WriteLine("calls\tGröße.名前\tget_Ünïcödé ()\t13");
			Console.WriteLine("allocations\tGröße.名前\t2\t32");
			Console.WriteLine("thread\tниточка 糸 🧵");
		}
	}
}
