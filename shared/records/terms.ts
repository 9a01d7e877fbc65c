/**
 * Terms and keys that stored records are found by: lexemes for words, ids and filtered values (a GIN index), keys for
 * sorts and ranges (table record_keys). The resource declares the fields. For write.ts, reindex.ts, list/ and search.ts.
 */
import { createHash, randomInt } from 'node:crypto';
import type { Definition } from '../app/manifest/definition.ts';
import type { ManifestResource } from '../app/manifest/manifest.ts';
import { getOrCreate } from '../platform/caches.ts';
import {
  escapeLexeme,
  nameCode,
  alternativesOf,
  foldCase,
  queryWords,
  titleWords,
} from '../platform/words/searchWords.ts';

const declaredTypes = ['text', 'number', 'money', 'time', 'date', 'boolean', 'link', 'person'] as const;
export type FieldType = (typeof declaredTypes)[number] | 'any';

/** Returns the declared type of a field, or `any` for a field without a type. */
export const toFieldType = (type: string | undefined): FieldType =>
  declaredTypes.find((known) => known === type) ?? 'any';
export const isNumeric = (type: FieldType): boolean => type === 'number' || type === 'money' || type === 'time';

interface IndexedKeyField {
  readonly field: string;
  readonly type: FieldType;
  /** Whether records without the field are listed too: those that are sorted by it. */
  readonly sorted: boolean;
}

/** The fields by which records of a resource are indexed; `shape` is a hash of them. */
export interface ResourceIndexing {
  readonly shape: string;
  readonly search: readonly string[];
  /** Fields whose values are lexemes. */
  readonly equalityFields: readonly string[];
  readonly keys: readonly IndexedKeyField[];
}

/**
 * Raised when the code makes keys otherwise, or lexemes that a release beside this one must not make: every shape changes, so
 * that all records are reindexed, by both releases in turn while they run side by side. `termsVersion` is for the rest.
 */
const version = 1;

/** Raised, with an index like that of migrations/0024_recordTerms.ts, when records are found by more lexemes. 1: by the words of their ids; 2: by words as `titleWords` folds them. */
const termsVersion = 2;

/** Stamps that random numbers distinguish. */
const stampsPerVersion = 2 ** 48;

/**
 * The first stamp of writes with these lexemes. Records with an earlier stamp are reindexed. A release that makes older lexemes
 * leaves newer ones alone, as the shape is the same, and stamps its own writes earlier.
 */
export const firstStamp = termsVersion * stampsPerVersion;

/** Returns a random number that names a write: no other write of the same record has it. */
export const newStamp = (): number => firstStamp + randomInt(1, stampsPerVersion - 1);

const buildIndexing = (definition: Definition, { name, fields = [] }: ManifestResource): ResourceIndexing => {
  const related = [...definition.resources.values()].flatMap(({ relations = [] }) =>
    relations.flatMap(({ resource, field }) => (resource === name && field !== undefined ? [field] : [])),
  );
  const search = fields.filter((field) => field.search === true).map((field) => field.name);
  const equalityFields = [
    ...new Set([...fields.filter((field) => field.filter === true).map((field) => field.name), ...related]),
  ].sort();
  const keys = fields
    .filter((field) => field.sort === true || (field.filter === true && isNumeric(toFieldType(field.type))))
    .map((field) => ({ field: field.name, type: toFieldType(field.type), sorted: field.sort === true }));
  const shape = createHash('sha256')
    .update(JSON.stringify([version, search, equalityFields, keys]))
    .digest('base64url')
    .slice(0, 12);
  return { shape, search, equalityFields, keys };
};

const indexingByDefinition = new WeakMap<Definition, Map<string, ResourceIndexing>>();

/** Returns the indexing of a resource, cached as long as the definition lives. */
export const getIndexing = (definition: Definition, resource: ManifestResource): ResourceIndexing => {
  const known = getOrCreate(indexingByDefinition, definition, () => new Map<string, ResourceIndexing>());
  return getOrCreate(known, resource.name, () => buildIndexing(definition, resource));
};

/** Separates the lexemes of a record in a statement's parameter; no lexeme has this character. */
export const recordTermSeparator = '\u001e';

/** Characters of a lexeme and of a key, which keep index rows small. Lists compare the whole value of each record that they find. */
const lexemeMax = 100;
const keyMax = 300;
/** Words and array members of one record that become terms. */
const wordsMax = 2_000;
const membersMax = 100;

const clipped = (text: string, most: number): string => text.slice(0, most).toWellFormed();
const lexemeText = (text: string): string =>
  clipped(text, lexemeMax).replaceAll(recordTermSeparator, ' ').replaceAll('\ufffd', '');

const scalarText = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;

const valuesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.slice(0, membersMax) : [value]).flatMap((member) => scalarText(member) ?? []);

interface IndexedRecord {
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

const ownMember = (fields: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** Returns the lexemes of a record, each prefixed by environment and resource, and a letter: `i` id, `w` word, `e` field exists, `f` field value. */
export const recordTerms = (
  envId: number,
  resource: string,
  { search, equalityFields }: ResourceIndexing,
  { id, title, subtitle, fields }: IndexedRecord,
): string[] => {
  const before = `${String(envId)}.${nameCode(resource)}`;
  const texts = [id, title, subtitle ?? '', ...search.flatMap((name) => valuesOf(ownMember(fields, name)))];
  const words = new Set<string>();
  for (const text of texts) for (const word of titleWords(text)) if (words.size < wordsMax) words.add(word);
  const terms = [`i${foldCase(id)}`, ...[...words].map((word) => `w${word}`)];
  for (const name of equalityFields) {
    const value = ownMember(fields, name);
    if (value === undefined || value === null) continue;
    terms.push(`e${name}`);
    for (const text of valuesOf(value)) terms.push(`f${name}=${lexemeText(text)}`);
  }
  return terms.map((term) => (before + term).replaceAll(recordTermSeparator, ' '));
};

const quoteLexeme = (lexeme: string, prefix = ''): string =>
  `'${escapeLexeme(lexeme.replaceAll(recordTermSeparator, ' '))}'${prefix}`;

/** Returns functions that make the tsqueries of one resource. Lexemes are quoted, so that no character of a value is an operator. */
export const termQueries = (envId: number, resource: string) => {
  const before = `${String(envId)}.${nameCode(resource)}`;
  const anyOf = (part: string, prefix = ''): string =>
    `(${alternativesOf(part)
      .map((word) => quoteLexeme(`${before}w${word}`, prefix))
      .join(' | ')})`;
  return {
    equals: (field: string, values: readonly (string | number | boolean)[]): string =>
      `(${values.map((value) => quoteLexeme(`${before}f${field}=${lexemeText(String(value))}`)).join(' | ')})`,
    startsWith: (field: string, value: string): string => quoteLexeme(`${before}f${field}=${lexemeText(value)}`, ':*'),
    has: (field: string): string => quoteLexeme(`${before}e${field}`),
    /** Returns a query for all words as whole words, which is faster than for their beginnings. */
    hasWords: (text: string): string =>
      queryWords(text)
        .map((part) => anyOf(part))
        .join(' & '),
    /** Returns a query for each word, all of which have to match: the id begins with the text, or one of the record's words with the word. */
    matches: (text: string): string[] => {
      const byId = quoteLexeme(`${before}i${foldCase(text)}`, ':*');
      const words = queryWords(text).map((part) => `(${byId} | ${anyOf(part, ':*')})`);
      return words.length === 0 ? [byId] : words;
    },
  };
};

/** Returns the key by which titles are sorted, and found by their beginning. */
export const titleKey = (title: string): string => clipped(foldCase(title), keyMax);

interface SortKey {
  readonly num: number;
  readonly text: string;
}

/** Returns the sort key of a field's value, or null when the value doesn't fit the type. In fields without a type, texts follow numbers. */
const sortKey = (type: FieldType, value: unknown): SortKey | null => {
  if (typeof value === 'number') return isNumeric(type) || type === 'any' ? { num: value, text: '' } : null;
  if (typeof value === 'boolean') return type === 'boolean' || type === 'any' ? { num: value ? 1 : 0, text: '' } : null;
  if (typeof value !== 'string' || isNumeric(type) || type === 'boolean') return null;
  return { num: type === 'any' ? Number.MAX_VALUE : 0, text: clipped(value, keyMax) };
};

interface RecordKey extends SortKey {
  readonly field: string;
  readonly missing: boolean;
}

/** Returns the rows of record_keys for a record. */
export const recordKeys = ({ keys }: ResourceIndexing, fields: Readonly<Record<string, unknown>>): RecordKey[] =>
  keys.flatMap(({ field, type, sorted }): RecordKey[] => {
    const key = sortKey(type, ownMember(fields, field));
    if (key !== null) return [{ field, missing: false, ...key }];
    return sorted ? [{ field, missing: true, num: 0, text: '' }] : [];
  });
