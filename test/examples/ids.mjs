// Prints the ids of the newest items of the demo as JSON: `node test/examples/ids.mjs 5000`. Used by the README.
import { readFileSync } from 'node:fs';

const { baseUrl, agents } = JSON.parse(readFileSync(`${process.env.DATA_DIR ?? '.data'}/access.json`, 'utf8'));
const wanted = Number(process.argv[2] ?? 100);
/** @type {string[]} */
const ids = [];
/** @type {string | null} */
let cursor = null;
do {
  const query = new URLSearchParams({ limit: '200', ...(cursor === null ? {} : { cursor }) });
  const response = await fetch(`${baseUrl}/items?${query.toString()}`, {
    headers: { authorization: `Bearer ${agents.operator}` },
  });
  const page = /** @type {{ items: { id: string }[], cursor: string | null, error?: string }} */ (
    await response.json()
  );
  if (!response.ok) throw new Error(page.error);
  ids.push(...page.items.map((item) => item.id));
  cursor = page.cursor;
} while (cursor !== null && ids.length < wanted);
console.log(JSON.stringify(ids.slice(0, wanted)));
