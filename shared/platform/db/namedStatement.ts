/** Statements with named parameters: `$name` in a text becomes the number under which its value is passed. */
import { statement, type Statement, type SqlValue } from './sql.ts';

export interface NamedStatement {
  readonly prepared: Statement;
  readonly names: readonly string[];
}

const statementsByName = new Map<string, NamedStatement>();

/** The statement of a shape, made at the first call; `name` says everything that its text depends on. */
export const namedStatement = (name: string, text: () => string): NamedStatement => {
  const made = statementsByName.get(name);
  if (made !== undefined) return made;
  const names: string[] = [];
  const numbered = text().replace(/\$([a-z]\w*)/gi, (_whole, parameter: string) => {
    if (!names.includes(parameter)) names.push(parameter);
    return `$${String(names.indexOf(parameter) + 1)}`;
  });
  const fresh = { prepared: statement(name, numbered), names };
  statementsByName.set(name, fresh);
  return fresh;
};

export const statementValues = ({ names }: NamedStatement, values: Readonly<Record<string, SqlValue>>): SqlValue[] =>
  names.map((name) => values[name] ?? null);
