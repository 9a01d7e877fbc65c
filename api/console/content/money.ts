/** Amounts of money as people read them, the same everywhere. Used by values, blocks, and the requests for approval. */

export const isCurrency = (value: unknown): value is string => typeof value === 'string' && /^[A-Z]{3}$/.test(value);

/** An amount as apps write it in a text, such as `12.50 EUR`. */
const written = /^(-?\d{1,12}(?:\.\d+)?) ([A-Z]{3})$/;

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
