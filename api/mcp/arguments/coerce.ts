/** Turns what models write into what the endpoints take, by their schemas; what it can’t turn stays, and the endpoint refuses it. Used by tool.ts and actions.ts. */
import type { FaultDetail } from '../../../shared/catalogue/errors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { findRepeatedMember } from '../../http/jsonMember.ts';
import { toSchemaForm } from './recordRefs.ts';
import { parseDuration, parseTime } from './times.ts';

export type Schema = Readonly<Record<string, unknown>>;

interface Coercion {
  readonly now: number;
  /** Gets the reasons why a text is no time. */
  readonly problems: FaultDetail[];
}

interface Place {
  readonly path: string;
  /** The name of the argument or of the member; of an element, that of its list. */
  readonly name: string;
  readonly description: string;
}

export const descriptionOf = ({ description }: Schema): string => (typeof description === 'string' ? description : '');

/** Returns whether an integer is a time or a duration: the descriptions of schemas name their units. */
export const unitOf = (description: string): 'time' | 'duration' | null => {
  if (description.includes('milliseconds since 1970')) return 'time';
  return /\bms\b|\bmilliseconds\b/i.test(description) ? 'duration' : null;
};

/** Arguments with the past as their meaning: a duration counts back. */
const pastNames = /^(?:since|after|before)$|(?:After|Before)$/;

const booleanWords = new Map<unknown, boolean>([
  ...['true', 'yes', '1', 1].map((word): [unknown, boolean] => [word, true]),
  ...['false', 'no', '0', 0].map((word): [unknown, boolean] => [word, false]),
]);

/** Returns true or false of a word for it; any other value as it is. */
export const toBoolean = (value: unknown): unknown =>
  booleanWords.get(typeof value === 'string' ? value.toLowerCase() : value) ?? value;

export const isTextOrNumber = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

const numberText = /^(-?\d{1,15}(?:\.\d{1,15})?)(\s?%)?$/;
/** A text that is a thousand to some and one to others: a refund of it is not guessed. */
const thousands = /^-?[1-9]\d{0,2}\.\d{3}$/;

const coerceInteger = (value: unknown, { path, name, description }: Place, { now, problems }: Coercion): unknown => {
  const unit = unitOf(description);
  if (unit === 'time' && isTextOrNumber(value)) {
    const parsed = parseTime(value, now, pastNames.test(name));
    if ('at' in parsed) return parsed.at;
    problems.push({ path, message: parsed.problem });
    return value;
  }
  if (typeof value !== 'string') return value;
  if (/^-?\d{1,15}$/.test(value)) return Number(value);
  return unit === 'duration' ? (parseDuration(value) ?? value) : value;
};

/** Names of members that are percentages, beside those whose description says so. */
const percentages = new Set(['rollout', 'to']);

const numberOf = (value: unknown): RegExpExecArray | null =>
  typeof value === 'string' && !thousands.test(value) ? numberText.exec(value) : null;

/** Returns the number that a text is; any other value, and a percentage, as it is. */
export const toNumber = (value: unknown): unknown => {
  const [, number, percent] = numberOf(value) ?? [];
  return number === undefined || percent !== undefined ? value : Number(number);
};

/** Half of an order is not 50 of its currency: a percentage is read where one is taken, and refused elsewhere. */
const coerceNumber = (value: unknown, { path, name, description }: Place, { problems }: Coercion): unknown => {
  const [, number, percent] = numberOf(value) ?? [];
  if (number === undefined) return value;
  if (percent === undefined || percentages.has(name) || /percent|%/i.test(description)) return Number(number);
  problems.push({ path, message: 'must be the number itself: a percentage of something is not worked out here' });
  return value;
};

/** Returns the value of a JSON text; undefined for another text, and for one in which an object names a member twice. */
const parsedJson = (text: string, opening: string): unknown => {
  if (!text.trimStart().startsWith(opening)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return findRepeatedMember(text) === null ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Elements of a text with commas that are read: one more than any list may have. */
const listMax = limits.bulkIds + 1;

/** Returns a list of what was written as one: a text with commas, JSON as a text, or a single value. */
export const toList = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return [value];
  const parsed = parsedJson(value, '[');
  return Array.isArray(parsed)
    ? parsed
    : value
        .split(',', listMax)
        .map((text) => text.trim())
        .filter((text) => text !== '');
};

/** Returns the object that a text has as JSON; any other value as it is. */
export const toObject = (value: unknown): unknown =>
  typeof value === 'string' ? (parsedJson(value, '{') ?? value) : value;

/** Returns whether a schema is that of texts by names that it does not know. */
const isTextsByName = ({ patternProperties }: Schema): boolean =>
  isObject(patternProperties) &&
  Object.values(patternProperties).every((one) => isObject(one) && one['type'] === 'string');

/** Returns numbers, true and false as texts. */
const toTexts = (object: Schema): Schema =>
  Object.fromEntries(
    Object.entries(object).map(([name, one]) => [
      name,
      typeof one === 'number' || typeof one === 'boolean' ? String(one) : one,
    ]),
  );

const coerceMembers = (schema: Schema, value: unknown, place: Place, coercion: Coercion): unknown => {
  const object = toSchemaForm(schema, toObject(value));
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  if (!isObject(object)) return object;
  if (isTextsByName(schema)) return toTexts(object);
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, member]): [string, unknown][] => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!isObject(inner)) return [[name, member]];
      const path = place.path === '' ? name : `${place.path}.${name}`;
      // Models write null for what they leave out.
      if (member === null && !allowsNull(inner) && !required.includes(name)) return [];
      return [[name, coerce(inner, member, { path, name, description: descriptionOf(inner) }, coercion)]];
    }),
  );
};

const branchesOf = ({ anyOf }: Schema): Schema[] => (Array.isArray(anyOf) ? anyOf.filter(isObject) : []);

const allowsNull = (schema: Schema): boolean =>
  schema['type'] === undefined && schema['anyOf'] === undefined && schema['const'] === undefined
    ? true
    : schema['type'] === 'null' ||
      (Array.isArray(schema['type']) && schema['type'].includes('null')) ||
      branchesOf(schema).some(allowsNull);

/** Returns whether an object’s `type`, or another constant, is the one of this branch. */
const isBranchOf = (branch: Schema, value: unknown): boolean =>
  isObject(branch['properties']) &&
  isObject(value) &&
  Object.entries(branch['properties']).every(
    ([name, member]) => !isObject(member) || member['const'] === undefined || member['const'] === value[name],
  );

const coerceUnion = (schema: Schema, value: unknown, place: Place, coercion: Coercion): unknown => {
  const branches = branchesOf(schema).filter(({ type }) => type !== 'null');
  const texts = branches.map((branch) => branch['const']);
  if (texts.includes('1')) {
    const word = toBoolean(value);
    return word === true ? '1' : word === false ? '0' : value;
  }
  const time = branches.find((each) => each['type'] === 'integer' && unitOf(descriptionOf(each)) === 'time');
  if (time !== undefined && branches.length > 1 && isTextOrNumber(value)) {
    const parsed = parseTime(value, coercion.now, pastNames.test(place.name));
    if ('at' in parsed) return parsed.at;
    // A text that does not begin as a date may be of the other branch.
    if (typeof value === 'number' || /^\d{4}-\d\d-\d\d/.test(value))
      coercion.problems.push({ path: place.path, message: parsed.problem });
    return value;
  }
  const object = toObject(value);
  const branch = branches.length === 1 ? branches[0] : branches.find((each) => isBranchOf(each, object));
  return branch === undefined ? value : coerce(branch, object, place, coercion);
};

/** Returns the value as the schema takes it, where it is clear what is meant. */
const coerce = (schema: Schema, value: unknown, place: Place, coercion: Coercion): unknown => {
  if (value === null) return value;
  if (schema['anyOf'] !== undefined) return coerceUnion(schema, value, place, coercion);
  if (schema['const'] === '1') return booleanWords.get(value) === true || value === true ? '1' : value;
  switch (schema['type']) {
    case 'boolean':
      return toBoolean(value);
    case 'integer':
      return coerceInteger(value, { ...place, description: descriptionOf(schema) || place.description }, coercion);
    case 'number':
      return coerceNumber(value, { ...place, description: descriptionOf(schema) || place.description }, coercion);
    case 'string':
      return typeof value === 'number' ? String(value) : toSchemaForm(schema, value);
    case 'array': {
      const { items } = schema;
      const list = toList(value);
      return isObject(items) ? list.map((element) => coerce(items, element, place, coercion)) : list;
    }
    case 'object':
      return coerceMembers(schema, value, place, coercion);
    default:
      return value;
  }
};

/** Returns the arguments as a schema of an object takes them. */
export const coerceArguments = (schema: Schema, given: Schema, coercion: Coercion): Schema =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object stays an object
  coerceMembers(schema, given, { path: '', name: '', description: '' }, coercion) as Schema;
