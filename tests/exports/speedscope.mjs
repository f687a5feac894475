// SPDX-License-Identifier: MIT
// Opens a profile in speedscope with Chromium: speedscope.mjs MODULES CHROMIUM FILE. Prints the rows of the table of
// functions: total, self and name, with tabs between them.
import { createRequire } from "module";
import { dirname, join } from "path";
import { pathToFileURL } from "url";

const [modules, chromium, file] = process.argv.slice(2);
const require = createRequire(join(modules, "index.js"));
const puppeteer = require("puppeteer-core");
const page_path = join(dirname(require.resolve("speedscope/package.json")), "dist/release/index.html");
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox"] });

try {
  const page = await browser.newPage();
  const problems = [];
  page.on("dialog", (dialog) => dialog.accept());
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.setViewport({ width: 1600, height: 20000 });
  await page.goto(pathToFileURL(page_path).href);
  const input = await page.waitForSelector("input[type=file]");
  await input.uploadFile(file);
  await page.waitForFunction(() => document.body.innerText.includes("Sandwich"), { timeout: 60000 });
  await page.evaluate(() => {
    const tabs = [...document.querySelectorAll("div")].filter((node) => node.innerText.trim().endsWith("Sandwich"));
    tabs[tabs.length - 1].click();
  });
  await page.waitForSelector("table tr td", { timeout: 60000 });
  const rows = await page.evaluate(() =>
    [...document.querySelectorAll("table tr")].map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText)),
  );
  for (const row of rows) if (row.length > 0) console.log(row.join("\t"));
  if (problems.length > 0) throw new Error(problems.join("; "));
} finally {
  await browser.close();
}
