/**
 * Compiles the schemas of a manifest once before it is taken over, so that none fails when it is needed, although all
 * that is known to be wrong with one was found before. Called by define.ts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Detail } from '../catalogue/errors.ts';
import { objectSchemaProblems } from '../core/schemaForm.ts';
import { filledProblemsOf, problemsOf } from '../core/validate.ts';
import type { Manifest } from './manifest.ts';

const compileProblem = (compile: () => unknown, path: string): Detail[] => {
  try {
    compile();
    return [];
  } catch (error) {
    return [{ path, message: `is not a JSON Schema 2020-12: ${error instanceof Error ? error.message.slice(0, 300).toWellFormed() : ''}` }];
  }
};

/** One after the other with others' turns in between: a manifest may have a thousand of them, at up to 0.1 s each. */
export const compileProblems = async ({ inboxes = [], actions = [] }: Manifest): Promise<Detail[]> => {
  const compiles = [
    ...inboxes.map(({ fields }, i) => ({ schema: fields, path: `inboxes.${String(i)}.fields`, compile: problemsOf })),
    ...actions.map(({ input }, i) => ({ schema: input, path: `actions.${String(i)}.input`, compile: filledProblemsOf })),
  ];
  const details: Detail[] = [];
  for (const { schema, path, compile } of compiles) {
    if (schema === undefined || objectSchemaProblems(schema, path).length > 0) continue;
    details.push(...compileProblem(() => compile(schema), path));
    await nextTurn();
  }
  return details;
};
