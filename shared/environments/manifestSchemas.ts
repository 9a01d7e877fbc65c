/** Checks the JSON Schemas inside a manifest, one at a time, as one may take up to 0.2 s. Used by readManifest.ts and the definition of environments. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FaultDetail } from '../catalogue/errors.ts';
import { compileAppSchema, compileAppSchemaWithDefaults } from '../platform/core/appSchemas.ts';
import { objectSchemaProblems } from '../platform/core/jsonSchemaProblems.ts';
import type { Manifest } from './manifest.ts';

/** Returns the problems of a schema: those of its form, or that it can't be compiled. */
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

/** Yields the problems of one schema after the other. */
export function* schemaProblems({ inboxes = [], actions = [] }: Manifest): Generator<FaultDetail[]> {
  for (const [i, { fields }] of inboxes.entries())
    if (fields !== undefined) yield problemsIn(fields, `inboxes.${String(i)}.fields`, compileAppSchema);
  for (const [i, { input }] of actions.entries())
    if (input !== undefined) yield problemsIn(input, `actions.${String(i)}.input`, compileAppSchemaWithDefaults);
}

/** Returns the problems of all schemas. Lets the process handle other events between two of them. */
export const readSchemaProblems = async (manifest: Manifest): Promise<FaultDetail[]> => {
  const details: FaultDetail[] = [];
  for (const found of schemaProblems(manifest)) {
    details.push(...found);
    await nextTurn();
  }
  return details;
};
