/** The `query` of a declared block, with its templates filled and its form checked. */
import { getOrCreate } from '../../platform/core/maps.ts';
import { isObject } from '../../platform/core/jsonLimits.ts';
import { fault } from '../../catalogue/errors.ts';
import { fillTemplate, isSinglePathTemplate } from '../../platform/core/conditions.ts';
import { compileProblemCheck } from '../../platform/core/validate.ts';
import { querySchemas, type BlockSource } from './schema.ts';

export type BlockQuery = Readonly<Record<string, unknown>>;

/** A member that is an absent parameter alone is left out, so that an optional filter doesn't filter. */
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

const listMembers = ['state', 'tags'] as const;

/** As requests have them: lists of the items' query as lists. */
export const splitLists = (source: BlockSource, query: BlockQuery): BlockQuery => {
  if (source !== 'items') return query;
  const lists = listMembers.flatMap((member) => {
    const value = query[member];
    return typeof value === 'string' ? [[member, value.split(',').filter((part) => part !== '')]] : [];
  });
  return { ...query, ...(Object.fromEntries(lists) as BlockQuery) };
};

const checks = new Map<object, ReturnType<typeof compileProblemCheck>>();

/** The check of what `source` takes for a block of `type`; null: it makes no such block. */
export const getQueryCheck = (
  source: Exclude<BlockSource, 'app'>,
  type: string,
): ReturnType<typeof compileProblemCheck> | null => {
  const types = querySchemas[source];
  const schema = Object.hasOwn(types, type) ? types[type] : undefined;
  if (schema === undefined) return null;
  return getOrCreate(checks, schema, () => compileProblemCheck(schema));
};

/** Throws `invalid` for what doesn't fit; the type that is answered is the schema's of `source` and `type`. */
export const parseBlockQuery = <Q>(source: Exclude<BlockSource, 'app'>, block: BlockQuery, params: object): Q => {
  const given = block['query'] ?? {};
  const query = isObject(given) ? splitLists(source, fillQuery(given, { params }) as BlockQuery) : given;
  const [problem] = getQueryCheck(source, String(block['type']))?.(query, 'query.') ?? [
    { path: 'type', message: `is not made from ${source}` },
  ];
  if (problem !== undefined) throw fault('invalid', `${problem.path} ${problem.message}.`);
  return query as Q;
};
