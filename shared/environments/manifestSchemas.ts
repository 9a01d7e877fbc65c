/** The JSON Schemas of a manifest: what is wrong with each, one at a time, as looking at one may take up to 0.2 s. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FaultDetail } from '../catalogue/errors.ts';
import { objectSchemaProblems } from '../platform/core/jsonSchemaProblems.ts';
import { compileAppSchemaWithDefaults, compileAppSchema } from '../platform/core/appSchemas.ts';
import type { Manifest } from './manifest.ts';

/** All that is known to be wrong with a schema is found by its form; compiling it makes sure that it won't fail when it is needed. */
const problemsIn = (schema: object, path: string, compile: (schema: object) => unknown): FaultDetail[] => {
  const problems = objectSchemaProblems(schema, path);
  if (problems.length > 0) return problems;
  try {
    compile(schema);
    return [];
  } catch (error) {
    return [
      {
        path,
        message: `is not a JSON Schema 2020-12: ${error instanceof Error ? error.message.slice(0, 300).toWellFormed() : ''}`,
      },
    ];
  }
};

/** The problems of one schema after the other. */
export function* schemaProblems({ inboxes = [], actions = [] }: Manifest): Generator<FaultDetail[]> {
  for (const [i, { fields }] of inboxes.entries())
    if (fields !== undefined) yield problemsIn(fields, `inboxes.${String(i)}.fields`, compileAppSchema);
  for (const [i, { input }] of actions.entries())
    if (input !== undefined) yield problemsIn(input, `actions.${String(i)}.input`, compileAppSchemaWithDefaults);
}

/** The same, letting others have their turn in between. */
export const readSchemaProblems = async (manifest: Manifest): Promise<FaultDetail[]> => {
  const details: FaultDetail[] = [];
  for (const found of schemaProblems(manifest)) {
    details.push(...found);
    await nextTurn();
  }
  return details;
};
