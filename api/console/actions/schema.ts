/** Fields of a form, from the JSON Schema of an action's input, and values of such an input as people read them. Used by the action sheet, approvals and the audit log. */
import { amountText, currencyIn, shown, isObject, toWords } from '../content/values.ts';
import { inRow } from '../ui/plural.ts';
import { actionTexts } from './texts.tsx';

/** Returns a value that the input has under a field. `input`: the whole input, which may name the currency. */
export const inputText = (field: Field | undefined, value: unknown, input: unknown): string => {
  if (field?.kind === 'choice') return field.choices.find((choice) => choice.value === value)?.label ?? shown(value);
  if (field?.kind === 'list' && Array.isArray(value) && value.length > 0)
    return inRow(value.map((one) => inputText(field.item, one, input)));
  if (field?.kind === 'number' && field.currency !== undefined && typeof value === 'number')
    return amountText(value, currencyIn(field.currency, input));
  return shown(value);
};

type Schema = Readonly<Record<string, unknown>>;

interface Common {
  readonly name: string;
  readonly label: string;
  readonly description: string | null;
  readonly isRequired: boolean;
  /** Whether null may be sent where nothing is given. */
  readonly isNullable: boolean;
  /** undefined: none. */
  readonly initial: unknown;
}

export interface Choice {
  readonly value: string | number | boolean | null;
  readonly label: string;
}

export type Field = Common &
  (
    | {
        readonly kind: 'text' | 'long';
        readonly maxLength: number | null;
        readonly format: string | null;
        /** The resource whose records' ids it takes; null: any text. */
        readonly resource: string | null;
      }
    /** `currency`: of an amount, as it is declared, or as the record has it; undefined: none. */
    | { readonly kind: 'number'; readonly isWhole: boolean; readonly limits: string; readonly currency: unknown }
    | { readonly kind: 'boolean' | 'date' | 'time' | 'json' }
    | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
    | { readonly kind: 'list'; readonly item: Field; readonly most: number | null }
    | { readonly kind: 'group'; readonly members: readonly Field[] }
  );

const schemas = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value.filter(isObject) : []);

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Deeper schemas, such as those of trees, are written as JSON. */
const depthMost = 6;
/** Longer texts get several lines; the longest e-mail address gets one. */
const lineLength = 320;

/** Returns what a local `$ref` names. */
const resolve = (root: Schema, reference: string): Schema | null => {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return null;
  const found = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      return isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    }, root);
  return isObject(found) ? found : null;
};

const isScalar = (value: unknown): value is Choice['value'] =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const choiceOf = (value: unknown, title: unknown): readonly Choice[] =>
  isScalar(value)
    ? [{ value, label: textOf(title) ?? (typeof value === 'string' ? toWords(value) : JSON.stringify(value)) }]
    : [];

/** Returns the values of an enumeration; null: the schema is none. */
const choicesOf = (schema: Schema): readonly Choice[] | null => {
  const { enum: listed, const: only, oneOf, anyOf, 'x-labels': given } = schema;
  const labels = isObject(given) ? given : {};
  const branches = schemas(oneOf ?? anyOf);
  const choices = Array.isArray(listed)
    ? listed.flatMap((value: unknown) =>
        choiceOf(value, Object.hasOwn(labels, String(value)) ? labels[String(value)] : null),
      )
    : 'const' in schema
      ? choiceOf(only, schema['title'])
      : branches.flatMap((branch) => ('const' in branch ? choiceOf(branch['const'], branch['title']) : []));
  const wanted = Array.isArray(listed) ? listed.length : 'const' in schema ? 1 : branches.length;
  return choices.length > 0 && choices.length === wanted ? choices : null;
};

/** Returns a schema without the branch or the type that allows null, and whether there was one. */
const withoutNull = (schema: Schema): { readonly schema: Schema; readonly isNullable: boolean } => {
  const { type, anyOf, oneOf, ...rest } = schema;
  if (Array.isArray(type) && type.includes('null')) {
    const others = type.filter((each: unknown) => each !== 'null');
    return { schema: { ...rest, type: others.length === 1 ? (others[0] as unknown) : type }, isNullable: true };
  }
  const branches = schemas(anyOf ?? oneOf);
  const others = branches.filter((branch) => branch['type'] !== 'null');
  const [only] = others;
  if (branches.length > others.length && others.length === 1 && only !== undefined)
    return { schema: { ...rest, ...only }, isNullable: true };
  return { schema, isNullable: false };
};

const limitsOf = (schema: Schema): string => {
  const least = numberOf(schema['minimum']);
  const above = numberOf(schema['exclusiveMinimum']);
  const most = numberOf(schema['maximum']);
  const below = numberOf(schema['exclusiveMaximum']);
  const { limits } = actionTexts.field;
  return inRow([
    ...(least === null ? [] : [limits.atLeast(least)]),
    ...(above === null ? [] : [limits.moreThan(above)]),
    ...(most === null ? [] : [limits.atMost(most)]),
    ...(below === null ? [] : [limits.lessThan(below)]),
  ]);
};

interface Place {
  readonly root: Schema;
  /** The fields of the record that the form is for. */
  readonly record: unknown;
  readonly name: string;
  readonly isRequired: boolean;
  readonly depth: number;
}

const textField = (schema: Schema, common: Common): Field => {
  const format = textOf(schema['format']);
  if (format === 'date') return { ...common, kind: 'date' };
  if (format === 'date-time') return { ...common, kind: 'time' };
  const resource = textOf(schema['x-resource']);
  const maxLength = numberOf(schema['maxLength']);
  const isLong = maxLength === null ? format === null && schema['pattern'] === undefined : maxLength > lineLength;
  const isLine = format !== null && format !== 'multiline';
  return { ...common, kind: isLong && !isLine && resource === null ? 'long' : 'text', maxLength, format, resource };
};

const listField = (schema: Schema, common: Common, { root, record, depth }: Place): Field => {
  const { items } = schema;
  if (!isObject(items) || schema['prefixItems'] !== undefined) return { ...common, kind: 'json' };
  const item = toField(items, { root, record, name: common.name, isRequired: true, depth: depth + 1 });
  // One of many texts is a line, unless it says that it is longer.
  const row: Field = item.kind === 'long' && item.maxLength === null ? { ...item, kind: 'text' } : item;
  return { ...common, kind: 'list', item: row, most: numberOf(schema['maxItems']) };
};

const groupField = (schema: Schema, common: Common, { root, record, depth }: Place): Field => {
  const { properties, required } = schema;
  const isOpen = schema['additionalProperties'] !== false && schema['unevaluatedProperties'] !== false;
  if (!isObject(properties) && isOpen) return { ...common, kind: 'json' };
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const members = Object.entries(isObject(properties) ? properties : {}).map(([name, member]) =>
    toField(isObject(member) ? member : {}, {
      root,
      record,
      name,
      isRequired: needed.includes(name),
      depth: depth + 1,
    }),
  );
  return { ...common, kind: 'group', members };
};

/** Returns the currency of an amount: that of the record, or else as it is declared; undefined: it is no amount. */
const currencyOf = ({ format, currency }: Schema, { record }: Place): unknown =>
  format === 'money' ? (currencyIn(currency, record) ?? currency) : undefined;

/** Returns the field of a schema. */
const toField = (given: Schema, place: Place): Field => {
  const { root, name, isRequired, depth } = place;
  const reference = textOf(given['$ref']);
  const target = reference === null ? null : resolve(root, reference);
  const { schema, isNullable } = withoutNull(target === null ? given : { ...target, ...given, $ref: undefined });
  const common: Common = {
    name,
    label: textOf(schema['title']) ?? toWords(name),
    description: textOf(schema['description']),
    isRequired,
    isNullable,
    initial: schema['default'],
  };
  if (depth > depthMost || (reference !== null && target === null)) return { ...common, kind: 'json' };
  const choices = choicesOf(schema);
  if (choices !== null) return { ...common, kind: 'choice', choices };
  const type = schema['type'] ?? (isObject(schema['properties']) ? 'object' : null);
  if (type === 'string') return textField(schema, common);
  if (type === 'number' || type === 'integer')
    return {
      ...common,
      kind: 'number',
      isWhole: type === 'integer',
      limits: limitsOf(schema),
      currency: currencyOf(schema, place),
    };
  if (type === 'boolean') return { ...common, kind: 'boolean' };
  if (type === 'array') return listField(schema, common, place);
  if (type === 'object') return groupField(schema, common, place);
  return { ...common, kind: 'json' };
};

/** Returns the field of an action's whole input. `record`: the fields of the record that it is for. */
export const toForm = (schema: Schema, record?: unknown): Field =>
  toField(schema, { root: schema, record, name: '', isRequired: true, depth: 0 });
