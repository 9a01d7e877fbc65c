/** Comparison of a target, member by member: before, now and after. Used by requests and by changes of flags. */
import { isObject } from './values.ts';

interface Difference {
  readonly name: string;
  readonly before: unknown;
  readonly now: unknown;
  /** undefined: not known. */
  readonly after: unknown;
  /** Whether it is another now than when it was asked for. */
  readonly moved: boolean;
  /** Whether it would be another than it is now. */
  readonly changes: boolean;
}

/** The member of a flag that people are told as a whole. */
export const rampMember = 'ramp';

/** Returns the members of members too, but for those of `whole`, as dotted names, one level deep. */
const flat = (target: unknown, whole: string | null): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(isObject(target) ? target : {}).flatMap(([name, value]): [string, unknown][] =>
      isObject(value) && name !== whole
        ? Object.entries(value).map(([inner, of]) => [`${name}.${inner}`, of])
        : [[name, value]],
    ),
  );

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Members that say nothing to whoever decides. */
const noise = new Set(['version', 'updatedAt', 'updatedBy.id', 'updatedBy.type', 'updatedBy.name', 'etag']);

/**
 * Returns the members that would change or have moved. `after` null: what it will be is not known, so only what moved is told. `whole`: a
 * member that is told as a whole.
 */
export const differences = (
  before: unknown,
  now: unknown,
  after: unknown,
  whole: string | null = null,
): readonly Difference[] => {
  const [then, present, next] = [flat(before, whole), flat(now, whole), flat(after, whole)];
  const knowsNext = isObject(after);
  const names = [...new Set([...present.keys(), ...next.keys(), ...then.keys()])].filter((name) => !noise.has(name));
  return names.flatMap((name) => {
    const moved = isObject(before) && isObject(now) && !same(then.get(name), present.get(name));
    const changes = knowsNext && next.has(name) && !same(present.get(name), next.get(name));
    if (!moved && !changes) return [];
    return [
      {
        name,
        before: then.get(name),
        now: present.get(name),
        after: knowsNext ? (next.has(name) ? next.get(name) : present.get(name)) : undefined,
        moved,
        changes,
      },
    ];
  });
};
