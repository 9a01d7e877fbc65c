/** Values of flags as people type them. Used by the editors of flags. */
import type { Flag } from '../wire/types.ts';

/** Returns a value as the text of its input. */
export const toInput = (kind: Flag['kind'], value: unknown): string =>
  kind === 'string' && typeof value === 'string'
    ? value
    : kind === 'json'
      ? JSON.stringify(value, null, 2)
      : String(value);

/** Returns the value of a text; undefined: it is none of this kind. */
export const fromInput = (kind: Flag['kind'], text: string): unknown => {
  if (kind === 'string') return text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (kind === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the scalar that a condition compares with: numbers, true, false and null as such, anything else as text. */
export const scalarOf = (text: string): unknown => {
  const trimmed = text.trim();
  try {
    const value: unknown = JSON.parse(trimmed);
    return typeof value === 'object' && value !== null ? trimmed : value;
  } catch {
    return trimmed;
  }
};

/** Returns the text that `scalarOf` reads as this value. */
export const scalarText = (value: unknown): string =>
  typeof value === 'string' && scalarOf(value) === value ? value : JSON.stringify(value ?? null);

/** Returns the rollout of a text, null for an empty one; undefined: it is none. */
export const rolloutOf = (text: string): number | null | undefined =>
  text.trim() === '' ? null : (percentOf(text) ?? undefined);

/** Returns a percentage of a text; null: it is none. */
export const percentOf = (text: string): number | null => {
  const value = Number(text);
  return text.trim() !== '' && value >= 0 && value <= 100 ? value : null;
};
