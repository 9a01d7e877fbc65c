/** Checks the blocks and templates of a manifest, for shared/app/manifest when an app registers. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import type { Json } from '../link/protocol.ts';
import { isBlockType } from './normalizeBlock.ts';
import { validateBlock } from './validateBlocks.ts';

const templateLimits = {
  /** Of one block or template, as JSON. */
  characters: 64 * 1024,
  /** Each may become as long as the longest field. */
  count: 100,
} as const;

/** The first words of the paths that a template may have, such as `item` of `{{item.title}}`. */
export type TemplateRoots = readonly string[];

const templatePaths = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g)].map(([, path]) => path ?? '');

export interface TemplateAt {
  /** Where it stands in the manifest. */
  readonly at: string;
  readonly path: string;
}

/** Returns the templates anywhere in a value that stands at `at`. */
export const templatesIn = (value: unknown, at: string): TemplateAt[] => {
  if (typeof value === 'string') return templatePaths(value).map((path) => ({ at, path }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => templatesIn(inner, `${at}.${name.slice(0, 100)}`));
};

const fits = (path: string, roots: TemplateRoots): boolean =>
  roots.some((root) => path === root || path.startsWith(`${root}.`));

/** Problems of the templates anywhere in a value, each at its place. */
export const templateProblems = (value: unknown, path: string, roots: TemplateRoots): FaultDetail[] => {
  const text = JSON.stringify(value) ?? '';
  if (text.length > templateLimits.characters)
    return [{ path, message: `is larger than ${String(templateLimits.characters / 1024)} KiB` }];
  const found = templatesIn(value, path);
  if (found.length > templateLimits.count)
    return [{ path, message: `has more than ${String(templateLimits.count)} templates` }];
  const unknown = found.filter((one) => !fits(one.path, roots));
  return unknown.map(({ at, path: one }) => ({
    path: at,
    message: `has the template {{${one.slice(0, 100)}}}; ${roots.length === 0 ? 'none can be filled here' : `known here are ${roots.join(', ')}`}`,
  }));
};

export const hasTemplates = (value: unknown): boolean => templatePaths(JSON.stringify(value) ?? '').length > 0;

/** Problems of a block that is shown as declared. One with templates can only be judged once they are filled. */
export const blockProblems = (block: Json, path: string, roots: TemplateRoots): FaultDetail[] => {
  if (!isBlockType(block['type'])) return [{ path: `${path}.type`, message: 'is not a type of block' }];
  const problems = templateProblems(block, path, roots);
  if (problems.length > 0 || hasTemplates(block) || block['type'] === 'error') return problems;
  const checked = validateBlock(block);
  return checked.type === 'error' ? [{ path, message: String(checked['error']) }] : [];
};
