/** Statements with named parameters: `$name` in a text becomes the number under which its value is passed. */
import { statement, type Statement, type Value } from './sql.ts';

export interface Named {
  readonly prepared: Statement;
  readonly names: readonly string[];
}

const known = new Map<string, Named>();

/** The statement of a shape, made at the first call; `name` says everything that its text depends on. */
export const named = (name: string, text: () => string): Named => {
  const made = known.get(name);
  if (made !== undefined) return made;
  const names: string[] = [];
  const numbered = text().replace(/\$([a-z]\w*)/gi, (_whole, parameter: string) => {
    if (!names.includes(parameter)) names.push(parameter);
    return `$${String(names.indexOf(parameter) + 1)}`;
  });
  const fresh = { prepared: statement(name, numbered), names };
  known.set(name, fresh);
  return fresh;
};

export const valuesOf = ({ names }: Named, values: Readonly<Record<string, Value>>): Value[] => names.map((name) => values[name] ?? null);
