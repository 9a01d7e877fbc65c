/** Reads a query string strictly: known names once each, decoded, typed by the endpoint's schema. */
import { Fault, type FaultDetail } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { textProblem } from '../../shared/platform/core/jsonLimits.ts';
import type { TObject } from '../../shared/platform/core/schema.ts';
import { compileCheck, invalidFault } from '../../shared/platform/core/validate.ts';

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
  const check = compileCheck(schema);
  return (search) => {
    if (typeof search !== 'string') return check(search);
    const found: Record<string, unknown> = {};
    const details: FaultDetail[] = [];
    for (const pair of search === '' ? [] : search.split('&')) {
      if (pair === '') continue;
      const split = pair.indexOf('=');
      const name = decode(split === -1 ? pair : pair.slice(0, split));
      const text = decode(split === -1 ? '' : pair.slice(split + 1));
      if (name === null || text === null)
        details.push({ path: name ?? pair.slice(0, 100), message: 'is not percent-encoded UTF-8' });
      else if (!Object.hasOwn(properties, name))
        details.push({ path: name.slice(0, 100), message: 'is not known here' });
      else if (Object.hasOwn(found, name)) details.push({ path: name, message: 'is given more than once' });
      else {
        const problem = textProblem(text);
        if (problem !== null) details.push({ path: name, message: problem });
        found[name] = parseValue(text, properties[name]);
      }
    }
    if (details.length === 0) return check(found);
    throw invalidFault(
      [...details, ...problemsIn(() => check(found))]
        .filter(({ path }, i, all) => all.findIndex((other) => other.path === path) === i)
        .slice(0, limits.detailsMax),
    );
  };
};
