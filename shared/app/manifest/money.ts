/**
 * The currencies of amounts and the labels of values, as fields and inputs declare them. Amounts count whole units of their currency: 12.5 EUR are 12 euros
 * and 50 cents. Used by approvals, pages, tools and formKeywords.ts.
 */
import { isObject } from '../../platform/json/jsonLimits.ts';
import type { ManifestResource } from './manifest.ts';

export const isCurrency = (value: unknown): value is string => typeof value === 'string' && /^[A-Z]{3}$/.test(value);

/** Returns a member that an object itself has, else undefined. */
export const memberOf = (value: unknown, name: unknown): unknown =>
  isObject(value) && typeof name === 'string' && Object.hasOwn(value, name) ? value[name] : undefined;

/** Returns the currency that a declaration names, or that the first of the holders has in the field that it names; null: not known. */
const currencyIn = (declared: unknown, ...holders: readonly unknown[]): string | null => {
  if (isCurrency(declared)) return declared;
  const field = memberOf(declared, 'field');
  return holders.map((holder) => memberOf(holder, field)).find(isCurrency) ?? null;
};

/** Returns an amount as a text with its currency, and everything else as it is. */
export const withCurrency = (amount: unknown, currency: unknown): unknown =>
  typeof amount === 'number' && typeof currency === 'string' ? `${String(amount)} ${currency}` : amount;

/** Returns the fields of a record with the amounts whose currency is declared as texts. */
export const withCurrencies = (
  { fields: declared = [] }: ManifestResource,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => ({
  ...fields,
  ...Object.fromEntries(
    declared.flatMap(({ name, type, currency }) =>
      type === 'money' && currency !== undefined && Object.hasOwn(fields, name)
        ? [[name, withCurrency(fields[name], currencyIn(currency, fields))]]
        : [],
    ),
  ),
});

/** Returns the amounts among the fields of a record, with the fields that name their currencies. */
export const amountFields = (
  { fields: declared = [] }: ManifestResource,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const names = declared.flatMap(({ name, type, currency }) =>
    type === 'money' ? [name, memberOf(currency, 'field') ?? 'currency'] : [],
  );
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
};

const amountsIn = (schema: unknown): [string, unknown][] =>
  Object.entries(memberOf(schema, 'properties') ?? {}).flatMap(([name, property]) =>
    memberOf(property, 'format') === 'money' ? [[name, memberOf(property, 'currency')]] : [],
  );

/** Returns the label of a value of an enumeration, or those of a list of such values; null: there is none. */
const labelOf = (schema: unknown, value: unknown): string | null => {
  if (Array.isArray(value)) {
    const labels = value.map((one) => labelOf(memberOf(schema, 'items'), one) ?? String(one));
    return value.some((one) => labelOf(memberOf(schema, 'items'), one) !== null) ? labels.join(', ') : null;
  }
  const label = memberOf(memberOf(schema, 'x-labels'), String(value));
  return typeof label === 'string' ? label : null;
};

/** What members of an input are called in sentences, by their names. */
export interface InputTexts {
  /** Of amounts. */
  readonly currencies?: Readonly<Record<string, string>>;
  /** Of values that the declaration gives a label. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Of ids of stored records: the resource, and the title; null: there was no such record. */
  readonly picked?: Readonly<Record<string, { readonly resource: string; readonly title: string | null }>>;
}

/** Returns the texts by their names, or nothing where there are none. */
const textsOf = <K extends 'currencies' | 'labels'>(
  name: K,
  texts: readonly (readonly [string, string | null])[],
): InputTexts => {
  const known = texts.filter(([, text]) => text !== null);
  return known.length === 0 ? {} : { [name]: Object.fromEntries(known) };
};

/**
 * Returns the currency of each amount of an action's input, one that the declaration names, or that the input or the record has,
 * and the labels of its values. `fields`: of the record; null: the records of a bulk, each of which has its own.
 */
export const inputTexts = (schema: object, input: object, fields: unknown): InputTexts => ({
  ...textsOf(
    'currencies',
    amountsIn(schema).map(([name, declared]) => [
      name,
      currencyIn(declared, input, fields) ??
        (fields === null && declared !== undefined ? 'in the currency of each record' : null),
    ]),
  ),
  ...textsOf(
    'labels',
    Object.entries(input).map(([name, value]: [string, unknown]) => [
      name,
      labelOf(memberOf(memberOf(schema, 'properties'), name), value),
    ]),
  ),
});
