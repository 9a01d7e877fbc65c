/**
 * Checks blocks that an app answered or declared. An invalid block becomes an `error` block, so that the others are shown.
 * Used for every answer of an app that has blocks: actions, item and record details, pages.
 */
import { errors, type ErrorCode } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { getOrCreate } from '../../platform/caches.ts';
import { exceedsPartCount, isObject, jsonProblem } from '../../platform/json/jsonLimits.ts';
import { namePattern } from '../../platform/json/schema.ts';
import { compileProblemCheck } from '../../platform/json/validate.ts';
import type { Block } from '../link/protocol.ts';
import { isBlockType, normalizeBlock } from './normalizeBlock.ts';
import { appBlockSchemas, blockLimits, type BlockType, type BlockValueType } from './schema.ts';

type Problem = string | null;

export const errorBlock = (title: string | null, code: ErrorCode, error: string = errors[code].message): Block => ({
  type: 'error',
  title,
  error,
  code,
});

const schemaChecks = new Map<BlockType, ReturnType<typeof compileProblemCheck>>();

const schemaProblem = (type: BlockType, block: Block): Problem => {
  const check = getOrCreate(schemaChecks, type, () => compileProblemCheck(appBlockSchemas[type]));
  const [first] = check(block, '');
  return first === undefined ? null : `${first.path} ${first.message}`.trim();
};

const protocols: readonly string[] = ['http:', 'https:', 'mailto:'];

/** Returns why an address is refused, or null. Spaces and control characters are refused, as programs interpret them differently. */
const urlProblem = (url: string): Problem => {
  // eslint-disable-next-line no-control-regex
  if (/[\s\u0000-\u001f\u007f\\]/.test(url) || !URL.canParse(url)) return 'must be an absolute address';
  return protocols.includes(new URL(url).protocol) ? null : 'must be http, https or mailto';
};

/** Times before 1970 are negative, hence the absolute value. */
const { timeMax } = limits;

/** Returns whether a text is a day of the calendar. */
const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

const valueProblem = (type: BlockValueType, value: unknown): Problem => {
  if (value === null) return null;
  switch (type) {
    case 'number':
      return typeof value === 'number' ? null : 'must be a number';
    case 'money':
      return typeof value === 'number' || typeof value === 'string'
        ? null
        : 'must be a number, or a text with its currency';
    case 'time':
      return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= timeMax
        ? null
        : 'must be milliseconds since 1970 UTC';
    case 'date':
      return typeof value === 'string' && isDate(value) ? null : 'must be a date such as 2026-01-31';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'link':
      return typeof value === 'string' ? urlProblem(value) : 'must be an address';
    case 'person':
      return typeof value === 'string' ? null : 'must be a text';
    case 'text':
      return null;
  }
};

interface Field {
  readonly value: unknown;
  readonly type: BlockValueType;
}
interface Column {
  readonly name: string;
  readonly type: BlockValueType;
}
type Row = Readonly<Record<string, unknown>>;

const problemAt = (path: string, problem: Problem): Problem => (problem === null ? null : `${path} ${problem}`);

/** Returns the first problem in a list, or null. */
const firstProblem = <T>(list: readonly T[], look: (entry: T, i: number) => Problem): Problem => {
  for (const [i, entry] of list.entries()) {
    const problem = look(entry, i);
    if (problem !== null) return problem;
  }
  return null;
};

const name = new RegExp(namePattern);

const tableProblem = (columns: readonly Column[], rows: readonly Row[]): Problem =>
  firstProblem(columns, (column, i) =>
    !name.test(column.name)
      ? `columns.${String(i)}.name must be a name`
      : columns.findIndex((other) => other.name === column.name) < i
        ? `columns.${String(i)}.name is there twice`
        : null,
  ) ??
  firstProblem(rows, (row, i) =>
    firstProblem(columns, (column) =>
      problemAt(`rows.${String(i)}.${column.name}`, valueProblem(column.type, row[column.name])),
    ),
  );

/** Returns the first problem that the schema can't express. */
const contentProblem = (type: BlockType, block: Block): Problem => {
  switch (type) {
    case 'fields':
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has checked the block before
      return firstProblem(block['fields'] as Field[], (field, i) =>
        problemAt(`fields.${String(i)}.value`, valueProblem(field.type, field.value)),
      );
    case 'table':
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has checked the block before
      return tableProblem(block['columns'] as Column[], block['rows'] as Row[]);
    case 'chart':
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has checked the block before
      return firstProblem(block['series'] as { points: unknown[][] }[], (series, i) =>
        firstProblem(series.points, ([, y], j) =>
          typeof y === 'number' ? null : `series.${String(i)}.points.${String(j)}.1 must be a number`,
        ),
      );
    case 'link':
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has checked the block before
      return problemAt('url', urlProblem(block['url'] as string));
    case 'record':
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has checked the block before
      return name.test((block['record'] as { resource: string }).resource) ? null : 'record.resource must be a name';
    case 'actions':
    case 'error':
    case 'items':
    case 'stat':
    case 'text':
      return null;
  }
};

/** Returns the title for the `error` block of an invalid block, or null. */
const titleOf = (given: unknown): string | null => {
  const title = isObject(given) && Object.hasOwn(given, 'title') ? given['title'] : null;
  return typeof title === 'string' &&
    title.length <= blockLimits.titleMax &&
    !title.includes('\u0000') &&
    title.isWellFormed()
    ? title
    : null;
};

/** Returns the `error` block in the place of one that is not valid. */
export const invalidBlock = (given: unknown, problem: string): Block =>
  errorBlock(titleOf(given), 'app_error', `This block is not valid: ${problem.slice(0, 300).toWellFormed()}.`);

/** Returns one block of an app with its defaults, or the `error` block in its place. */
export const validateBlock = (given: unknown): Block => {
  if (!isObject(given)) return invalidBlock(given, 'it is not an object');
  const type = Object.hasOwn(given, 'type') ? given['type'] : undefined;
  if (!isBlockType(type))
    return invalidBlock(
      given,
      typeof type === 'string' ? `there is no type ${JSON.stringify(type.slice(0, 100))}` : 'it has no type',
    );
  if (exceedsPartCount(given, blockLimits.bytes)) return invalidBlock(given, 'it is too large');
  const unkept = jsonProblem(given);
  if (unkept !== null) return invalidBlock(given, `${unkept.path} ${unkept.message}`);
  const block = normalizeBlock(type, given);
  const problem = schemaProblem(type, block) ?? contentProblem(type, block);
  return problem === null ? block : invalidBlock(given, problem);
};

/**
 * Returns the blocks of one answer of an app within `blockLimits`, and a last `error` block when there were more. `items`
 * blocks still name items by id, and nothing is redacted: shared/views does both.
 */
export const validateBlocks = (given: unknown): Block[] => {
  if (!Array.isArray(given)) return [errorBlock(null, 'app_error', 'The app’s blocks are not a list.')];
  const blocks: Block[] = [];
  let bytes = 0;
  for (const entry of given.slice(0, blockLimits.count)) {
    const block = validateBlock(entry);
    bytes += Buffer.byteLength(JSON.stringify(block));
    if (bytes > blockLimits.bytes)
      return [
        ...blocks,
        errorBlock(
          titleOf(entry),
          'app_error',
          `The app’s blocks are larger than ${String(blockLimits.bytes / 1024)} KiB; this one and those after it are left out.`,
        ),
      ];
    blocks.push(block);
  }
  if (given.length > blockLimits.count)
    blocks.push(
      errorBlock(
        null,
        'app_error',
        `The app gave more than ${String(blockLimits.count)} blocks; the others are left out.`,
      ),
    );
  return blocks;
};
