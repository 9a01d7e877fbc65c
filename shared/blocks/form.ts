/** What is wrong with the blocks and templates of a manifest; asked when an app declares itself. */
import type { Detail } from '../catalogue/errors.ts';
import { checkedBlock } from './check.ts';
import { isBlockType } from './shape.ts';
import type { Json } from '../applink/protocol.ts';

const templateLimits = {
  /** Of one block or template, as JSON. */
  characters: 64 * 1024,
  /** Each may become as long as the longest field. */
  count: 100,
} as const;

/** The first words of the paths that a template may have, such as `item` of `{{item.title}}`. */
export type Roots = readonly string[];

const paths = (text: string): string[] => [...text.matchAll(/\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g)].map(([, path]) => path ?? '');

const fits = (path: string, roots: Roots): boolean => roots.some((root) => path === root || path.startsWith(`${root}.`));

/** Problems of the templates anywhere in a value. */
export const templateProblems = (value: unknown, path: string, roots: Roots): Detail[] => {
  const text = JSON.stringify(value) ?? '';
  if (text.length > templateLimits.characters) return [{ path, message: `is larger than ${String(templateLimits.characters / 1024)} KiB` }];
  const found = paths(text);
  if (found.length > templateLimits.count) return [{ path, message: `has more than ${String(templateLimits.count)} templates` }];
  const unknown = [...new Set(found.filter((one) => !fits(one, roots)))];
  return unknown.map((one) => ({ path, message: `has the template {{${one.slice(0, 100)}}}; ${roots.length === 0 ? 'none can be filled here' : `known here are ${roots.join(', ')}`}` }));
};

export const hasTemplates = (value: unknown): boolean => paths(JSON.stringify(value) ?? '').length > 0;

/** Problems of a block that is shown as declared. One with templates can only be judged once they are filled. */
export const blockProblems = (block: Json, path: string, roots: Roots): Detail[] => {
  if (!isBlockType(block['type'])) return [{ path: `${path}.type`, message: 'is not a type of block' }];
  const problems = templateProblems(block, path, roots);
  if (problems.length > 0 || hasTemplates(block) || block['type'] === 'error') return problems;
  const checked = checkedBlock(block);
  return checked.type === 'error' ? [{ path, message: String(checked['error']) }] : [];
};
