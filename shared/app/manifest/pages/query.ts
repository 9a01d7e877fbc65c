/** Fills and checks the `query` of a declared block, for manifestPages.ts and shared/views/pages. */
import { fault } from '../../../catalogue/errors.ts';
import { getOrCreate } from '../../../platform/caches.ts';
import { fillTemplate, isSinglePathTemplate } from '../../../platform/conditions/conditions.ts';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import { compileProblemCheck } from '../../../platform/json/validate.ts';
import { listParameters, numberParameters } from '../itemQuery.ts';
import { querySchemas, type BlockSource } from './schema.ts';

export type BlockQuery = Readonly<Record<string, unknown>>;

/** Fills templates. Leaves out a member whose template is one absent parameter, so that an optional filter does not filter. */
const fillQuery = (template: unknown, subject: unknown): unknown => {
  if (!isObject(template)) return fillTemplate(template, subject);
  return Object.fromEntries(
    Object.entries(template)
      .map(([name, inner]): [string, unknown, boolean] => [
        name,
        fillQuery(inner, subject),
        isSinglePathTemplate(inner),
      ])
      .filter(([, value, alone]) => !(alone && value === null))
      .map(([name, value]) => [name, value]),
  );
};

/** Returns a filled query in which the texts of parameters are numbers where numbers are expected, as in the query of a URL: a page’s parameter, which is text, may fill them. */
const readNumbers = (declared: BlockQuery, filled: BlockQuery): BlockQuery =>
  Object.fromEntries(
    Object.entries(filled).map(([name, value]) => [
      name,
      numberParameters.has(name) &&
      typeof declared[name] === 'string' &&
      typeof value === 'string' &&
      /^\d{1,16}$/.test(value)
        ? Number(value)
        : value,
    ]),
  );

/** Returns a query with the comma-separated members of the items' query as lists, and `fields` as in parsed requests. */
export const splitLists = (source: BlockSource, query: BlockQuery): BlockQuery => {
  if (source !== 'items') return query;
  const lists = [...listParameters].flatMap((member): [string, string[]][] => {
    const value = query[member];
    return typeof value === 'string' ? [[member, value.split(',').filter((part) => part !== '')]] : [];
  });
  const split: BlockQuery = Object.fromEntries(lists);
  const { fields, ...others } = query;
  return { ...others, ...split, ...(fields === undefined ? {} : { 'fields.*': fields }) };
};

const checks = new Map<object, ReturnType<typeof compileProblemCheck>>();

/** Returns the check of the query of `source` for a block of `type`; null when the source makes no such block. */
export const getQueryCheck = (
  source: Exclude<BlockSource, 'app'>,
  type: string,
): ReturnType<typeof compileProblemCheck> | null => {
  const types = querySchemas[source];
  const schema = Object.hasOwn(types, type) ? types[type] : undefined;
  if (schema === undefined) return null;
  return getOrCreate(checks, schema, () => compileProblemCheck(schema));
};

/** Returns the filled query. Throws `invalid` when it does not fit. The caller names the type, that of `querySchemas`. */
export const parseBlockQuery = <Q>(source: Exclude<BlockSource, 'app'>, block: BlockQuery, params: object): Q => {
  const given = block['query'] ?? {};
  const filled = fillQuery(given, { params });
  const query = isObject(given) && isObject(filled) ? splitLists(source, readNumbers(given, filled)) : given;
  const [problem] = getQueryCheck(source, String(block['type']))?.(query, 'query.') ?? [
    { path: 'type', message: `is not made from ${source}` },
  ];
  if (problem !== undefined) throw fault('invalid', `${problem.path} ${problem.message}.`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has accepted it; the caller names the schema's type
  return query as Q;
};
