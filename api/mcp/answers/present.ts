/** The form in which a model gets an endpoint's body: compact unless it asks for more, and below a budget of bytes. Used by result.ts. */
import type { Definition } from '../../../shared/app/manifest/definition.ts';
import type { ManifestResource } from '../../../shared/app/manifest/manifest.ts';
import { withCurrencies } from '../../../shared/app/manifest/money.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { withMergedChanges } from './changes.ts';
import { type Compactor, compactMembers } from './compact.ts';
import { type Members, objectsIn } from './members.ts';
import { withIsoTimes, declaredTime } from './times.ts';

/** Keeps answers short: long texts, long lists and wide objects are cut, and what was cut says so. */
interface Limits {
  /** Characters of a text. */
  readonly text: number;
  /** Elements of a list below the first level. */
  readonly list: number;
  /** Members of an object. */
  readonly members: number;
}

/** How the rest is read; it stands in each text that was cut. */
const rest = 'detail: "full" has all';

const shortenText = (text: string, most: number): string => {
  if (text.length <= most) return text;
  // Not through the middle of a character.
  const head = text
    .slice(0, most)
    .toWellFormed()
    .replace(/\ufffd$/, '');
  return `${head}… (${String(text.length - head.length)} more characters; ${rest})`;
};

/** Members that are given back as they are. */
const asGiven = /^id$|[cC]ursor$/;

const shortenObject = (value: Readonly<Record<string, unknown>>, limits: Limits, depth: number): unknown => {
  const entries = Object.entries(value);
  const kept = entries
    .slice(0, depth === 0 ? entries.length : limits.members)
    .map(([name, member]): [string, unknown] => [
      name,
      typeof member === 'string' && asGiven.test(name) ? member : shorten(member, limits, depth + 1),
    ]);
  const cut = entries.length - kept.length;
  return Object.fromEntries(cut === 0 ? kept : [...kept, ['…', `${String(cut)} more members; ${rest}`]]);
};

/** Returns the value with its texts, nested lists and objects within the limits. Lists of the first level stay whole. */
const shorten = (value: unknown, limits: Limits, depth = 0): unknown => {
  if (typeof value === 'string') return shortenText(value, limits.text);
  if (Array.isArray(value)) {
    const most = depth <= 1 ? value.length : limits.list;
    const kept = value.slice(0, most).map((element: unknown) => shorten(element, limits, depth + 1));
    const cut = value.length - kept.length;
    return cut === 0 ? kept : [...kept, `… ${String(cut)} more; ${rest}`];
  }
  return isObject(value) ? shortenObject(value, limits, depth) : value;
};

/** Returns the body without the report that the item was made of, if it is the only one or not asked for, and without blocks of its fields’ texts. */
const withoutRepeats = (body: Members): Members => {
  const { item, latestOccurrence, blocks, ...rest } = body;
  if (!isObject(item) || !Array.isArray(blocks)) return body;
  const texts = new Set(isObject(item['fields']) ? Object.values(item['fields']) : []);
  return {
    item,
    blocks: objectsIn(blocks).filter(({ type, text }) => type !== 'text' || !texts.has(text)),
    ...rest,
    ...((item['occurrences'] ?? 1) === 1 ? {} : { latestOccurrence }),
  };
};

/** Adds the names of people to an answer that has their ids. */
const quotedIds = /(?<=")per_[0-7][0-9a-hjkmnp-tv-z]{25}(?=")/g;

/** Returns the names of people by their ids; called only when an answer has ids. */
type PeopleNames = () => ReadonlyMap<string, string>;

/** Returns the body with `people`, the name of each of them by id; as it is where it lists people itself, or none whose name is known. */
const withPeopleNames = (body: Members, namesOf: PeopleNames): Members => {
  if ('people' in body) return body;
  const ids = new Set(JSON.stringify(body).match(quotedIds));
  if (ids.size === 0) return body;
  const names = namesOf();
  const known = [...ids].flatMap((id): (readonly [string, string])[] => {
    const name = names.get(id);
    return name === undefined ? [] : [[id, name]];
  });
  return known.length === 0 ? body : { ...body, people: Object.fromEntries(known) };
};

/**
 * Times that the app has declared, in fields of records and in blocks, as ISO 8601 for models, and amounts with their currency.
 */
type Resources = Pick<Definition, 'resources'>;

/** Returns the names of the fields of a resource whose values are times. */
const timeFieldsOf = ({ fields = [] }: ManifestResource): string[] =>
  fields.filter(({ type }) => type === 'time').map(({ name }) => name);

const withTimesOf = (members: Members, names: readonly string[], isExact: boolean): Members =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, names.includes(name) ? declaredTime(value, isExact) : value]),
  );

/** Returns a fields block, or a table, with the values that it declares to be times as texts. */
const withBlockTimes = (block: Members, isExact: boolean): Members => {
  const { fields, columns, rows } = block;
  const columnNames = objectsIn(columns)
    .filter(({ type }) => type === 'time')
    .map(({ name }) => String(name));
  return {
    ...block,
    ...(Array.isArray(fields)
      ? {
          fields: objectsIn(fields).map((field) =>
            field['type'] === 'time' ? withTimesOf(field, ['value'], isExact) : field,
          ),
        }
      : {}),
    ...(columnNames.length > 0 ? { rows: objectsIn(rows).map((row) => withTimesOf(row, columnNames, isExact)) } : {}),
  };
};

/** Returns the value with the times and amounts that the app has declared as texts, at any depth. */
const withDeclaredTimes = (definition: Resources, value: unknown, isExact: boolean): unknown => {
  if (Array.isArray(value)) return value.map((element) => withDeclaredTimes(definition, element, isExact));
  if (!isObject(value)) return value;
  const { resource, fields, type } = value;
  const declared = typeof resource === 'string' ? definition.resources.get(resource) : undefined;
  if (declared !== undefined && isObject(fields))
    return { ...value, fields: withCurrencies(declared, withTimesOf(fields, timeFieldsOf(declared), isExact)) };
  const whole = type === 'fields' || type === 'table' ? withBlockTimes(value, isExact) : value;
  return Object.fromEntries(
    Object.entries(whole).map(([name, member]) => [name, withDeclaredTimes(definition, member, isExact)]),
  );
};

/** How much of a body a call asks for: the compact form, only certain members of its elements, or all of it. */
export type Detail = 'compact' | 'fields' | 'full';

/** The form that a call asks for. */
export interface Form {
  readonly detail: Detail;
  /** The compact forms of members that the tool shows in a way of its own. */
  readonly kinds: Readonly<Record<string, Compactor>>;
  /** The member that `fields` chooses from, which then stays as it is. */
  readonly projected: string | null;
  /** Knows the fields of records that are times. */
  readonly definition: Pick<Definition, 'resources'>;
  readonly namesOfPeople: PeopleNames;
}

const errorForm: Form = {
  detail: 'compact',
  kinds: {},
  projected: null,
  definition: { resources: new Map() },
  namesOfPeople: () => new Map(),
};

/** Bytes of an answer that is not asked for in full: what a model reads at a glance. */
export const answerBytesMax = 20_000;

const unlimited: Limits = { text: Infinity, list: Infinity, members: Infinity };
const usual: Limits = { text: 300, list: 20, members: 50 };
/** Tried in this order until the answer fits. */
const tighter: readonly Limits[] = [
  { text: 120, list: 10, members: 30 },
  { text: 60, list: 5, members: 15 },
  { text: 30, list: 2, members: 5 },
];

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const asItIs: Compactor = (value) => value;

/** Returns the body without members that are null: a cursor that there is not, an entry that was not written. */
const withoutNull = (body: Members): Members =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** Cuts lists of the first level until the value fits; the last resort for what has no pages. */
const cutLists = (value: Members): Members => {
  const lists = Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const [name, longest] = lists.sort(([, a], [, b]) => bytesOf(b) - bytesOf(a))[0] ?? [];
  if (name === undefined || longest === undefined || longest.length < 2 || bytesOf(value) <= answerBytesMax)
    return value;
  const kept = longest.slice(0, Math.floor(longest.length / 2));
  const before = Number(value[`${name}Cut`] ?? 0);
  const last = kept.at(-1);
  const place = isObject(last) && typeof last['id'] === 'string' ? ` for those after ${last['id']},` : '';
  return cutLists({
    ...value,
    [name]: kept,
    [`${name}Cut`]: before + longest.length - kept.length,
    rest: `The answer is cut: ask again${place} with fields, or with detail: "full".`,
  });
};

/** Returns the body as a model gets it, and the bytes that it has before it is made to fit. */
export const presentBody = (
  given: Members,
  { detail, kinds, projected, definition, namesOfPeople }: Form = errorForm,
): { readonly value: Members; readonly bytes: number } => {
  const isFull = detail === 'full';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- objects stay objects
  const body = withDeclaredTimes(definition, given, isFull) as Members;
  const timed = (value: unknown, limits: Limits): Members =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- objects stay objects
    shorten(withIsoTimes(value, isFull), limits) as Members;
  if (isFull) return { value: timed(body, unlimited), bytes: 0 };
  const chosen = detail === 'fields' ? projected : null;
  const compact = withPeopleNames(
    withoutNull(
      compactMembers(withMergedChanges(withoutRepeats(body)), chosen === null ? kinds : { ...kinds, [chosen]: asItIs }),
    ),
    namesOfPeople,
  );
  const whole = {
    ...timed(compact, usual),
    // What was named is not shortened unless it has to be.
    ...(chosen === null ? {} : timed({ [chosen]: compact[chosen] }, unlimited)),
  };
  const bytes = bytesOf(whole);
  if (bytes <= answerBytesMax) return { value: whole, bytes };
  for (const limits of [usual, ...tighter]) {
    const value = timed(compact, limits);
    if (bytesOf(value) <= answerBytesMax) return { value, bytes };
  }
  return { value: cutLists(timed(compact, usual)), bytes };
};
