/**
 * What stored records are found by: lexemes for words, ids and filtered values (a GIN index), and keys for sorts and
 * ranges (record_keys). Which fields take part is the resource's declaration. Written by write.ts, asked by list.
 */
import { createHash } from 'node:crypto';
import { foldCase, queryWords, titleWords } from '../platform/core/searchWords.ts';
import type { Definition } from '../environments/definition.ts';
import type { ManifestResource } from '../environments/manifest.ts';

export type FieldType = 'text' | 'number' | 'money' | 'time' | 'boolean' | 'link' | 'person' | 'any';
const fieldTypes: readonly string[] = ['text', 'number', 'money', 'time', 'boolean', 'link', 'person'];

export const toFieldType = (type: string | undefined): FieldType =>
  type !== undefined && fieldTypes.includes(type) ? (type as FieldType) : 'any';
export const isNumeric = (type: FieldType): boolean => type === 'number' || type === 'money' || type === 'time';

interface IndexedKeyField {
  readonly field: string;
  readonly type: FieldType;
  /** Whether records without the field are listed too: those that are sorted by it. */
  readonly sorted: boolean;
}

/** How records of a resource are indexed; `shape` names it. */
export interface ResourceIndexing {
  readonly shape: string;
  readonly search: readonly string[];
  /** Fields whose values are lexemes. */
  readonly equalityFields: readonly string[];
  readonly keys: readonly IndexedKeyField[];
}

/** Raised when lexemes or keys are made in another way: all are made anew then. */
const version = 1;

const buildIndexing = (definition: Definition, { name, fields = [] }: ManifestResource): ResourceIndexing => {
  const related = [...definition.resources.values()].flatMap(({ relations = [] }) =>
    relations.flatMap(({ resource, field }) => (resource === name && field !== undefined ? [field] : [])),
  );
  const search = fields.filter((field) => field.search === true).map((field) => field.name);
  const equal = [
    ...new Set([...fields.filter((field) => field.filter === true).map((field) => field.name), ...related]),
  ].sort();
  const keys = fields
    .filter((field) => field.sort === true || (field.filter === true && isNumeric(toFieldType(field.type))))
    .map((field) => ({ field: field.name, type: toFieldType(field.type), sorted: field.sort === true }));
  const shape = createHash('sha256')
    .update(JSON.stringify([version, search, equal, keys]))
    .digest('base64url')
    .slice(0, 12);
  return { shape, search, equalityFields: equal, keys };
};

const indexingByDefinition = new WeakMap<Definition, Map<string, ResourceIndexing>>();

export const getIndexing = (definition: Definition, resource: ManifestResource): ResourceIndexing => {
  const known = indexingByDefinition.get(definition) ?? new Map<string, ResourceIndexing>();
  indexingByDefinition.set(definition, known);
  const found = known.get(resource.name) ?? buildIndexing(definition, resource);
  known.set(resource.name, found);
  return found;
};

/** Three characters for a resource (FNV-1a). Two may share them, so lists compare the resource itself as well. */
const resourceCode = (resource: string): string => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < resource.length; i++) hash = Math.imul(hash ^ resource.charCodeAt(i), 0x01000193) >>> 0;
  return (hash % 46_656).toString(36).padStart(3, '0');
};

/** Between the lexemes of one record, as they are sent; no lexeme holds it. */
export const recordTermSeparator = '\u001e';

/** Longer texts don't tell more apart; what is found by them is compared whole. Keeps lexemes and index rows small. */
const lexemeMax = 100;
const keyMax = 300;
/** Words and array members of one record that it is found by. */
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

/** The lexemes of a record: each after environment and resource, with a letter that says what it is. */
export const recordTerms = (
  env: number,
  resource: string,
  { search, equalityFields: equal }: ResourceIndexing,
  { id, title, subtitle, fields }: IndexedRecord,
): string[] => {
  const before = `${String(env)}.${resourceCode(resource)}`;
  const texts = [title, subtitle ?? '', ...search.flatMap((name) => valuesOf(ownMember(fields, name)))];
  const words = new Set<string>();
  for (const text of texts) for (const word of titleWords(text)) if (words.size < wordsMax) words.add(word);
  const terms = [`i${foldCase(id)}`, ...[...words].map((word) => `w${word}`)];
  for (const name of equal) {
    const value = ownMember(fields, name);
    if (value === undefined || value === null) continue;
    terms.push(`e${name}`);
    for (const text of valuesOf(value)) terms.push(`f${name}=${lexemeText(text)}`);
  }
  return terms.map((term) => (before + term).replaceAll(recordTermSeparator, ' '));
};

const quoteLexeme = (lexeme: string, prefix = ''): string =>
  `'${lexeme.replaceAll(recordTermSeparator, ' ').replaceAll('\\', '\\\\').replaceAll("'", "''")}'${prefix}`;

/** Makes the tsqueries of one resource; lexemes are quoted, so whatever a value holds stands for itself. */
export const termQueries = (env: number, resource: string) => {
  const before = `${String(env)}.${resourceCode(resource)}`;
  return {
    equals: (field: string, values: readonly (string | number | boolean)[]): string =>
      `(${values.map((value) => quoteLexeme(`${before}f${field}=${lexemeText(String(value))}`)).join(' | ')})`,
    startsWith: (field: string, value: string): string => quoteLexeme(`${before}f${field}=${lexemeText(value)}`, ':*'),
    has: (field: string): string => quoteLexeme(`${before}e${field}`),
    /** All words as they are, which is looked up more quickly than their beginnings. */
    hasWords: (text: string): string =>
      queryWords(text)
        .map((word) => quoteLexeme(`${before}w${word}`))
        .join(' & '),
    /** One for each word: the id begins with the text, or the word begins one of the record's. All of them have to hold. */
    matches: (text: string): string[] => {
      const byId = quoteLexeme(`${before}i${foldCase(text)}`, ':*');
      const words = queryWords(text).map((word) => `(${byId} | ${quoteLexeme(`${before}w${word}`, ':*')})`);
      return words.length === 0 ? [byId] : words;
    },
  };
};

/** What titles are sorted by, and found by their beginning. */
export const titleKey = (title: string): string => clipped(foldCase(title), keyMax);

interface SortKey {
  readonly num: number;
  readonly text: string;
}

/** What a field's value is sorted by; null: nothing that fits its type. Of fields without a type, texts follow numbers. */
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

export const recordKeys = ({ keys }: ResourceIndexing, fields: Readonly<Record<string, unknown>>): RecordKey[] =>
  keys.flatMap(({ field, type, sorted }): RecordKey[] => {
    const key = sortKey(type, ownMember(fields, field));
    if (key !== null) return [{ field, missing: false, ...key }];
    return sorted ? [{ field, missing: true, num: 0, text: '' }] : [];
  });
