/** The context of a page's request, which page.ts passes to every source of blocks, its parameter `params`, and tables as blocks. */
import type { Caller } from '../../accounts/access/principal.ts';
import { validateBlock } from '../../app/blocks/validateBlocks.ts';
import type { Block } from '../../app/link/protocol.ts';
import type { ManifestPage } from '../../app/manifest/manifest.ts';
import { type FaultDetail, invalidAt } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { isObject, textProblem } from '../../platform/json/jsonLimits.ts';
import { invalidFault } from '../../platform/json/validate.ts';
import type { ViewDeps } from '../deps.ts';

export type PageParams = Readonly<Record<string, string>>;

const parseObject = (text: string): Readonly<Record<string, unknown>> => {
  if (Buffer.byteLength(text) > limits.jsonParameterBytes)
    throw invalidAt('params', `must be at most ${String(limits.jsonParameterBytes)} bytes`);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalidAt('params', 'must be a JSON object');
};

const pathOf = (name: string): string => `params.${name.slice(0, 100)}`.toWellFormed().replaceAll('\u0000', '');

/** Returns the parameters. Throws `invalid` with each one that isn't declared, isn't a text, or is missing. */
export const parsePageParams = (page: ManifestPage, text: string | undefined): PageParams => {
  const given = text === undefined ? {} : parseObject(text);
  const declared = page.params ?? [];
  const details: FaultDetail[] = [];
  for (const [name, value] of Object.entries(given)) {
    const problem = !declared.some((param) => param.name === name)
      ? 'is not known here'
      : typeof value === 'string'
        ? textProblem(value)
        : 'must be a string';
    if (problem !== null) details.push({ path: pathOf(name), message: problem });
  }
  for (const { name, required } of declared)
    if (required === true && !Object.hasOwn(given, name)) details.push({ path: pathOf(name), message: 'is required' });
  if (details.length > 0) throw invalidFault(details.slice(0, limits.detailsMax));
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])),
  );
};

export type DeclaredBlock = Readonly<Record<string, unknown>>;

export interface PageContext {
  readonly deps: ViewDeps;
  readonly caller: Caller;
  /** The page's name. */
  readonly page: string;
  readonly params: PageParams;
  /** The time of the request, epoch milliseconds, by which all blocks are made. */
  readonly now: number;
}

/** Makes a block; null: the role doesn't see its subject, so the page has no such block. */
export type BlockResolver = (context: PageContext, block: DeclaredBlock, place: number) => Promise<Block | null>;

export const blockTitle = (block: DeclaredBlock): string | null =>
  typeof block['title'] === 'string' ? block['title'] : null;

export interface TableColumn {
  readonly name: string;
  readonly label: string;
  readonly type: string;
}

/** Returns objects and arrays as JSON text, other values unchanged. */
const cell = (value: unknown): unknown => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

/** Returns the columns of a block; absent labels and types are those of the source. */
const columnsOf = (declared: unknown, known: readonly TableColumn[]): TableColumn[] => {
  if (!Array.isArray(declared)) return [...known];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns are checked when the app declares the page
  return (declared as (Partial<TableColumn> & { readonly name: string })[]).map(({ name, label, type }) => {
    const source = known.find((column) => column.name === name);
    return { name, label: label ?? source?.label ?? name, type: type ?? source?.type ?? 'text' };
  });
};

export const tableBlock = (
  block: DeclaredBlock,
  known: readonly TableColumn[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Block => {
  const columns = columnsOf(block['columns'], known);
  const cells = rows.map((row) =>
    Object.fromEntries(columns.map(({ name }) => [name, Object.hasOwn(row, name) ? cell(row[name]) : null])),
  );
  return validateBlock({ type: 'table', title: block['title'], columns, rows: cells });
};
