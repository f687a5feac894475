// SPDX-License-Identifier: MIT
// Something to profile: one thread makes and indexes a text, another places queens on a board.
using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;

namespace Demo
{
	class Word
	{
		public readonly string Text;
		public readonly List<int> Pages = new List<int>();

		public Word(string text) { Text = text; }

		public void SeenOn(int page)
		{
			if (Pages.Count == 0 || Pages[Pages.Count - 1] != page)
				Pages.Add(page);
		}
	}

	class Writer
	{
		static readonly string[] syllables = {"mo", "no", "pro", "fi", "le", "ba", "ke", "tu", "sa", "ri"};
		uint state = 2007;

		int Random(int limit)
		{
			state = state * 1664525 + 1013904223;
			return (int)((state >> 16) % (uint)limit);
		}

		string MakeWord()
		{
			string word = "";
			for (int length = 1 + Random(3); length > 0; length--)
				word += syllables[Random(syllables.Length)];
			return word;
		}

		public string MakePage(int words)
		{
			StringBuilder page = new StringBuilder();
			for (int i = 0; i < words; i++)
				page.Append(MakeWord()).Append(' ');
			return page.ToString();
		}
	}

	class Index
	{
		readonly Dictionary<string, Word> words = new Dictionary<string, Word>();

		public int Count { get { return words.Count; } }

		Word Find(string text)
		{
			Word word;
			if (!words.TryGetValue(text, out word))
				words.Add(text, word = new Word(text));
			return word;
		}

		public void Add(int number, string page)
		{
			foreach (string text in page.Split(' ')) {
				if (text.Length > 0)
					Find(text).SeenOn(number);
			}
		}

		public Word MostWidespread()
		{
			Word best = null;
			foreach (Word word in words.Values) {
				if (best == null || word.Pages.Count > best.Pages.Count ||
				    (word.Pages.Count == best.Pages.Count && string.CompareOrdinal(word.Text, best.Text) < 0))
					best = word;
			}
			return best;
		}
	}

	class Board
	{
		readonly int[] queens;

		public Board(int size) { queens = new int[size]; }

		bool IsFree(int row, int column)
		{
			for (int i = 0; i < row; i++) {
				int distance = Math.Abs(queens[i] - column);
				if (distance == 0 || distance == row - i)
					return false;
			}
			return true;
		}

		public int CountSolutions(int row)
		{
			int solutions = 0;
			if (row == queens.Length)
				return 1;
			for (int column = 0; column < queens.Length; column++) {
				if (!IsFree(row, column))
					continue;
				queens[row] = column;
				solutions += CountSolutions(row + 1);
			}
			return solutions;
		}
	}

	class Program
	{
		static int solutions;

		static void PlaceQueens() { solutions = new Board(10).CountSolutions(0); }

		static int ParseOrZero(string text)
		{
			try {
				return int.Parse(text);
			} catch (FormatException) {
				return 0;
			}
		}

		static void Main(string[] arguments)
		{
			int pages = arguments.Length > 0 ? ParseOrZero(arguments[0]) : 400;
			Thread queens = new Thread(PlaceQueens) { Name = "queens" };
			Writer writer = new Writer();
			Index index = new Index();

			queens.Start();
			for (int page = 1; page <= pages; page++)
				index.Add(page, writer.MakePage(200));
			GC.Collect();
			queens.Join();
			Word word = index.MostWidespread();
			Console.WriteLine("{0} words on {1} pages, \"{2}\" on {3}; {4} ways to place 10 queens", index.Count, pages,
				word == null ? "" : word.Text, word == null ? 0 : word.Pages.Count, solutions);
		}
	}
}
