/** Reads a query string strictly: known names once each, decoded, typed by the endpoint's schema. */
import { Fault, type FaultDetail } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { textProblem } from '../../shared/platform/json/jsonLimits.ts';
import type { TObject } from '../../shared/platform/json/schema.ts';
import { compileCheck, invalidFault } from '../../shared/platform/json/validate.ts';
import { unknownNameMessage } from '../../shared/platform/words/nearestNames.ts';

const decode = (text: string): string | null => {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
};

interface Typed {
  readonly type?: string;
}

const parseValue = (text: string, schema: Typed | undefined): unknown => {
  if (schema?.type === 'integer') return /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : text;
  if (schema?.type === 'array') return text.split(',');
  return text;
};

/** Returns the property that takes a parameter: of its own name, or a group such as `fields.*`, which takes all that begin with `fields.`. */
const propertyOf = (
  properties: Readonly<Record<string, Typed>>,
  name: string,
): { readonly property: string; readonly member: string | null } | null => {
  const dot = name.indexOf('.');
  const group = `${name.slice(0, dot + 1)}*`;
  if (dot > 0 && Object.hasOwn(properties, group)) return { property: group, member: name.slice(dot + 1) };
  return Object.hasOwn(properties, name) ? { property: name, member: null } : null;
};

/** Messages by path. */
type Problems = Map<string, string>;

/** Adds the first problem of a path, up to `limits.detailsMax`: of thousands the others are not even put into words. */
const addProblem = (problems: Problems, path: string, message: () => string): void => {
  if (problems.size < limits.detailsMax && !problems.has(path)) problems.set(path, message());
};

/** Returns the details of the fault that `check` throws. */
const problemsIn = (check: () => unknown): readonly FaultDetail[] => {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof Fault) return error.extra.details ?? [];
    throw error;
  }
};

/** Returns the parser of query strings for a schema, which takes parameters as values too. It throws `400 invalid` and names each wrong parameter. */
export const createQueryParser = (
  schema: TObject,
): ((search: string | Readonly<Record<string, unknown>>) => unknown) => {
  const properties = schema.properties as Readonly<Record<string, Typed>>;
  const names = Object.keys(properties).map((name) => name.replace(/\*$/, '<name>'));
  const check = compileCheck(schema);
  return (search) => {
    if (typeof search !== 'string') return check(search);
    const found: Record<string, unknown> = {};
    const groups: Record<string, Map<string, string>> = {};
    const problems: Problems = new Map();
    for (const pair of search === '' ? [] : search.split('&')) {
      if (pair === '') continue;
      const split = pair.indexOf('=');
      const name = decode(split === -1 ? pair : pair.slice(0, split));
      const text = decode(split === -1 ? '' : pair.slice(split + 1));
      if (name === null || text === null)
        addProblem(problems, name ?? pair.slice(0, 100), () => 'is not percent-encoded UTF-8');
      else {
        const place = propertyOf(properties, name);
        const group = place?.member == null ? null : (groups[place.property] ??= new Map());
        if (place === null) addProblem(problems, name.slice(0, 100), () => unknownNameMessage(name, names));
        else if (group === null ? Object.hasOwn(found, name) : group.has(place.member ?? ''))
          addProblem(problems, name.slice(0, 200), () => 'is given more than once');
        else {
          const problem = textProblem(text) ?? textProblem(name);
          if (problem !== null) addProblem(problems, name.slice(0, 200), () => problem);
          if (group === null) found[name] = parseValue(text, properties[name]);
          else group.set(place.member ?? '', text);
        }
      }
    }
    for (const [property, members] of Object.entries(groups)) found[property] = Object.fromEntries(members);
    if (problems.size === 0) return check(found);
    for (const { path, message } of problemsIn(() => check(found))) addProblem(problems, path, () => message);
    throw invalidFault([...problems].map(([path, message]) => ({ path, message })));
  };
};
