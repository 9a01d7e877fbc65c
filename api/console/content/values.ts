/** Values of an app and of the API as people read them: legible texts, amounts, moments, names of members, and values of a record on one line. Used by everything that shows one. */
import { plainTexts } from '../ui/plainTexts.ts';
import { inRow } from '../ui/plural.ts';
import { dayText, whenTime } from '../ui/time.ts';
import type { AppRecord, Resource } from '../wire/types.ts';

/** What a joiner or a choice of form may follow: a letter of a script that joins its letters, a mark, or a part of an emoji. */
const joined =
  '[^\\P{L}\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}]|[\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}#*0-9]';
/**
 * Controls but for tabs and line breaks, signs that change the order of others, and characters that are not seen or look like a
 * space. Joiners and the choice of an emoji's form are left where they belong.
 */
const unseen = new RegExp(
  `(?<!${joined})[\\u200c\\u200d\\ufe0e\\ufe0f]|(?![\\u200c\\u200d\\ufe0e\\ufe0f])[\\p{Cf}\\p{Default_Ignorable_Code_Point}\\p{Co}\\p{Cs}\\p{Cn}\\p{Zl}\\p{Zp}\\u2800]|(?![\\t\\n\\r])\\p{Cc}`,
  'gu',
);

/** Returns a text with each such character as its number in Unicode, like `[U+202E]`. */
export const legible = (text: string): string =>
  text.replace(unseen, (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`);

export const isCurrency = (value: unknown): value is string => typeof value === 'string' && /^[A-Z]{3}$/.test(value);

/** An amount as apps write it in a text, such as `12.50 EUR`. */
const written = /^(-?\d{1,12}(?:\.\d+)?) ([A-Z]{3})$/;

/** Returns the currency that a declaration names, or that the first of the holders has in the field that it names; without a declaration, in `currency`. */
export const currencyIn = (declared: unknown, ...holders: readonly unknown[]): unknown => {
  if (typeof declared === 'string') return declared;
  const field = isObject(declared) ? String(declared['field']) : 'currency';
  return holders
    .map((holder) => (isObject(holder) && Object.hasOwn(holder, field) ? holder[field] : undefined))
    .find(isCurrency);
};

/** Decimals of amounts whose currency nobody says. */
const usualDecimals = 2;

/** More than any currency has, for prices of parts of a thing. */
const decimalsMost = 6;

const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
  usualDecimals;

const digits = (amount: number, decimals: number): string =>
  new Intl.NumberFormat(undefined, {
    minimumFractionDigits: Number.isInteger(amount) ? 0 : decimals,
    maximumFractionDigits: decimalsMost,
  }).format(amount);

/**
 * Returns an amount with the decimals of its currency, left out where they are all 0, and with its code, as signs such as $ stand for
 * several. `currency`: of the record or the block that has the amount, where it names one.
 */
export const amountText = (amount: number, currency: unknown): string =>
  isCurrency(currency) ? `${digits(amount, decimalsOf(currency))} ${currency}` : digits(amount, usualDecimals);

/** Returns what an app gives as money as an amount; null: it is none. */
export const moneyText = (value: unknown, currency: unknown): string | null => {
  if (typeof value === 'number') return amountText(value, currency);
  const [, amount, code] = typeof value === 'string' ? (written.exec(value) ?? []) : [];
  return amount === undefined ? null : amountText(Number(amount), code);
};

/** Whole numbers in this range are moments of the years 2001 to 2096 in milliseconds, as everywhere in the API. */
const isMoment = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 1e12 && value < 4e12;

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Returns a record's reference as text, such as "order ord_1"; null: it is another value. */
const referenceText = (value: unknown): string | null =>
  isObject(value) && typeof value['resource'] === 'string' && typeof value['id'] === 'string'
    ? legible(`${toWords(value['resource']).toLowerCase()} ${value['id']}`)
    : null;

/** Returns a value as text: moments as times, lists in a row, nothing as a dash. */
export const shown = (value: unknown): string => {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return '–';
  if (isMoment(value)) return whenTime(value);
  if (typeof value === 'string') return legible(value);
  if (typeof value === 'boolean') return value ? plainTexts.values.yes : plainTexts.values.no;
  if (Array.isArray(value) && value.every((one) => isScalar(one) || referenceText(one) !== null))
    return inRow(value.map(shown));
  return referenceText(value) ?? legible(JSON.stringify(value));
};

/** Returns a value of a declared type as text; `currency`: of an amount, where its record names one. */
export const shownAs = (type: string | null, value: unknown, currency: unknown): string =>
  (type === 'money' ? moneyText(value, currency) : type === 'date' ? dayText(value) : null) ?? shown(value);

/** Returns whether a field is shown: amounts and times, and sortable fields that are not searched, such as states and numbers. */
const isTold = ({ type, sort, search }: Resource['fields'][number]): boolean =>
  type === 'money' || type === 'time' || type === 'date' || (sort && !search);

/** Returns a line such as "Total 129 EUR · Status paid", without values that the title or the subtitle contains; empty when there is none. */
export const compactFields = ({ title, subtitle, fields }: AppRecord, resource: Resource | undefined): string =>
  inRow(
    (resource?.fields ?? []).filter(isTold).flatMap(({ name, label, type, currency }) => {
      const value = fields[name];
      if (value === undefined || value === null || value === '') return [];
      const text = shownAs(type, value, currencyIn(currency, fields));
      return [title, subtitle].some((said) => said?.includes(text) === true)
        ? []
        : [plainTexts.values.labelled(legible(label), text)];
    }),
  );

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objects = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const plain = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

/** Returns a name as words: `periodEnd` and `period_end` are "Period end". */
export const toWords = (name: string): string => {
  const words = name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replaceAll(/[_.-]+/gu, ' ')
    .trim();
  return words === '' ? name : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};
