/**
 * Finds where an input takes less than a former one: what was taken may be refused now. Says nothing where that can't be known, as of
 * alternatives that have changed. Used by shared/accounts/settings/environments/breakingChanges.ts.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import type { InputLimits } from './inputWalk.ts';
import { isWider, numericKeywords, strictest } from './limitOrder.ts';
import {
  type Budget,
  conditionsOf,
  kindsOf,
  limitsKinds,
  Places,
  propertyNames,
  propertyOf,
  refusesMember,
  refusesOthers,
  requiredOf,
  valuesOf,
} from './places.ts';

type Schema = Readonly<Record<string, unknown>>;
type Place = readonly Schema[];

/** A place where less is taken than before, such as `address.street`, `lines[].sku`; '' is the whole. */
export type Narrowing = { readonly path: string } & (
  | { readonly what: 'required' | 'refused' | 'closed' }
  | { readonly what: 'type'; readonly from: readonly string[]; readonly to: readonly string[] }
  | { readonly what: 'limits'; readonly limits: readonly { readonly keyword: string; readonly value: unknown }[] }
);

const memberPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Returns kinds as types are written. */
const typeNames = (kinds: readonly string[]): readonly string[] =>
  kinds.includes('fraction')
    ? [...kinds.filter((kind) => kind !== 'integer' && kind !== 'fraction'), 'number']
    : [...kinds];

/** Returns limits of whole numbers alone in one form: `exclusiveMaximum: 10` is `maximum: 9` for them. */
const withWholeBounds = (limits: InputLimits): InputLimits => {
  const kinds = kindsOf(limits);
  if (!kinds.includes('integer') || kinds.includes('fraction')) return limits;
  const { maximum = [], exclusiveMaximum = [], minimum = [], exclusiveMinimum = [], ...others } = limits;
  const most = [
    ...maximum.map((one) => Math.floor(Number(one))),
    ...exclusiveMaximum.map((one) => Math.ceil(Number(one)) - 1),
  ];
  const least = [
    ...minimum.map((one) => Math.ceil(Number(one))),
    ...exclusiveMinimum.map((one) => Math.floor(Number(one)) + 1),
  ];
  return {
    ...others,
    ...(most.length === 0 ? {} : { maximum: most }),
    ...(least.length === 0 ? {} : { minimum: least }),
  };
};

const hasDefault = (place: Place, name: string): boolean =>
  propertyOf(place, name).some((schema) => isObject(schema) && Object.hasOwn(schema, 'default'));

class Comparison {
  readonly found: Narrowing[] = [];
  readonly #before: Places;
  readonly #after: Places;

  constructor(before: object, after: object, budget: Budget) {
    this.#before = new Places(before, budget);
    this.#after = new Places(after, budget);
  }

  /** Compares the schemas of one place and of those below. `above`: the pairs that led here, which a recursive schema comes back to. */
  compare(
    path: string,
    given: readonly [readonly unknown[], readonly unknown[]],
    above: readonly (readonly [unknown, unknown])[] = [],
  ): void {
    const pair = [given[0][0], given[1][0]] as const;
    if (above.some(([was, is]) => was === pair[0] && is === pair[1])) return;
    const [before, after] = [this.#before.at(given[0]), this.#after.at(given[1])];
    const areComparable = isDeepStrictEqual(conditionsOf(before), conditionsOf(after));
    const kinds = this.#compareLimits(path, before, after, areComparable);
    if (!areComparable) return;
    const below = [...above, pair];
    if (kinds.includes('object')) this.#compareMembers(path, before, after, below);
    if (kinds.includes('array')) this.#compareItems(path, before, after, below);
  }

  /** Compares what a place takes by its own keywords. Returns the kinds of values that it took. */
  #compareLimits(path: string, before: Place, after: Place, areComparable: boolean): readonly string[] {
    const was = withWholeBounds(this.#before.limits(before));
    const is = this.#after.limits(after);
    // The whole is an object always.
    if (path === '') return ['object'];
    const kinds = kindsOf(was);
    if (isWider('type', is['type'] ?? [], was)) {
      const kept = kindsOf(is);
      const from = kinds.filter((kind) => !kept.includes(kind));
      this.found.push({ path, what: 'type', from: typeNames(from), to: typeNames(kept) });
      return kinds.filter((kind) => kept.includes(kind));
    }
    const few = valuesOf(was);
    const known = few === null ? was : { ...was, enum: [few] };
    const limits = Object.entries(is).flatMap(([keyword, values]) => {
      const isListing = keyword === 'enum' || keyword === 'const';
      if (keyword === 'type' || !limitsKinds(keyword, kinds)) return [];
      // What a list of values, or a changed alternative, has to do with other limits is not known.
      if (!isListing && (few !== null || !areComparable)) return [];
      return isWider(keyword, values, known)
        ? [{ keyword, value: numericKeywords.has(keyword) ? strictest(values, keyword) : values[0] }]
        : [];
    });
    if (limits.length > 0) this.found.push({ path, what: 'limits', limits });
    return kinds;
  }

  #compareMembers(path: string, before: Place, after: Place, above: readonly (readonly [unknown, unknown])[]): void {
    const required = new Set(requiredOf(before));
    for (const name of requiredOf(after))
      if (!required.has(name) && !hasDefault(after, name))
        this.found.push({ path: memberPath(path, name), what: 'required' });
    const isOpen = !refusesOthers(before, true);
    if (isOpen && refusesOthers(after, false)) this.found.push({ path, what: 'closed' });
    for (const name of propertyNames(before)) {
      if (refusesMember(before, name)) continue;
      const below = memberPath(path, name);
      if (refusesMember(after, name)) this.found.push({ path: below, what: 'refused' });
      else this.compare(below, [propertyOf(before, name), propertyOf(after, name)], above);
    }
  }

  #compareItems(path: string, before: Place, after: Place, above: readonly (readonly [unknown, unknown])[]): void {
    if ([...before, ...after].some((schema) => Object.hasOwn(schema, 'prefixItems'))) return;
    const itemsOf = (place: Place): readonly unknown[] =>
      place.flatMap(({ items }) => (items === undefined ? [] : [items]));
    this.compare(`${path}[]`, [itemsOf(before), itemsOf(after)], above);
  }
}

/** Returns the places where `after` takes less than `before`. Throws `TooLargeError` when the budget is used up. */
export const findNarrowings = (before: object, after: object, budget: Budget): readonly Narrowing[] => {
  if (isDeepStrictEqual(before, after)) return [];
  const comparison = new Comparison(before, after, budget);
  comparison.compare('', [[before], [after]]);
  return comparison.found;
};
