/** The `query` of a declared block, with its templates filled and its form checked. */
import { isObject } from '../../platform/core/guard.ts';
import { fault } from '../../catalogue/errors.ts';
import { fillTemplate, isWholeTemplate } from '../../platform/core/conditions.ts';
import { ownProblemsOf } from '../../platform/core/validate.ts';
import { querySchemas, type Source } from './schema.ts';

export type Query = Readonly<Record<string, unknown>>;

/** A member that is an absent parameter alone is left out, so that an optional filter doesn't filter. */
const filled = (template: unknown, subject: unknown): unknown => {
  if (!isObject(template)) return fillTemplate(template, subject);
  return Object.fromEntries(
    Object.entries(template)
      .map(([name, inner]): [string, unknown, boolean] => [name, filled(inner, subject), isWholeTemplate(inner)])
      .filter(([, value, alone]) => !(alone && value === null))
      .map(([name, value]) => [name, value]),
  );
};

const listed = ['state', 'tags'] as const;

/** As requests have them: lists of the items' query as lists. */
export const splitLists = (source: Source, query: Query): Query => {
  if (source !== 'items') return query;
  const lists = listed.flatMap((member) => {
    const value = query[member];
    return typeof value === 'string' ? [[member, value.split(',').filter((part) => part !== '')]] : [];
  });
  return { ...query, ...(Object.fromEntries(lists) as Query) };
};

const checks = new Map<object, ReturnType<typeof ownProblemsOf>>();

/** The check of what `source` takes for a block of `type`; null: it makes no such block. */
export const queryCheck = (source: Exclude<Source, 'app'>, type: string): ReturnType<typeof ownProblemsOf> | null => {
  const types = querySchemas[source];
  const schema = Object.hasOwn(types, type) ? types[type] : undefined;
  if (schema === undefined) return null;
  const check = checks.get(schema) ?? ownProblemsOf(schema);
  checks.set(schema, check);
  return check;
};

/** Throws `invalid` for what doesn't fit; the type that is answered is the schema's of `source` and `type`. */
export const readQuery = <Q>(source: Exclude<Source, 'app'>, block: Query, params: object): Q => {
  const given = block['query'] ?? {};
  const query = isObject(given) ? splitLists(source, filled(given, { params }) as Query) : given;
  const [problem] = queryCheck(source, String(block['type']))?.(query, 'query.') ?? [{ path: 'type', message: `is not made from ${source}` }];
  if (problem !== undefined) throw fault('invalid', `${problem.path} ${problem.message}.`);
  return query as Q;
};
