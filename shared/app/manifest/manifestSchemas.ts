/** Checks the JSON Schemas inside a manifest, one at a time, as one may take up to 0.2 s. Used by readManifest.ts and the definition of environments. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FaultDetail } from '../../catalogue/errors.ts';
import { compileAppSchema, compileAppSchemaWithDefaults } from '../../platform/json/appSchemas.ts';
import { type SchemaBudget, createBudget, objectSchemaSteps } from '../../platform/json/jsonSchemaProblems.ts';
import type { Manifest } from './manifest.ts';

/** Steps between which other work may be done; only the last one of a schema has problems. */
type Steps = Generator<readonly FaultDetail[], void>;

/** Yields the problems of a schema: those of its form, or that it can't be compiled. */
function* stepsOf(
  schema: object | undefined,
  path: string,
  { compile, budget }: { readonly compile: (schema: object) => unknown; readonly budget: SchemaBudget },
): Steps {
  if (schema === undefined || budget.problem !== null) return;
  const form = objectSchemaSteps(schema, path, budget);
  let step = form.next();
  for (; step.done !== true; step = form.next()) yield [];
  if (step.value.length > 0) {
    yield step.value;
    return;
  }
  yield [];
  try {
    compile(schema);
    yield [];
  } catch (error) {
    yield [
      {
        path,
        message: `is not a JSON Schema 2020-12: ${error instanceof Error ? error.message.slice(0, 300).toWellFormed() : ''}`,
      },
    ];
  }
}

/** Yields the problems of one schema after the other, and nothing of those beyond the limits of all together. */
export function* schemaProblems({ inboxes = [], actions = [] }: Manifest): Steps {
  const budget = createBudget();
  for (const [i, { fields }] of inboxes.entries())
    yield* stepsOf(fields, `inboxes.${String(i)}.fields`, { compile: compileAppSchema, budget });
  for (const [i, { input }] of actions.entries())
    yield* stepsOf(input, `actions.${String(i)}.input`, { compile: compileAppSchemaWithDefaults, budget });
}

/** Returns the problems of all schemas. Lets the process handle other events after each schema and each pattern. Throws the reason of a signal that is aborted meanwhile. */
export const readSchemaProblems = async (manifest: Manifest, signal?: AbortSignal): Promise<FaultDetail[]> => {
  const details: FaultDetail[] = [];
  for (const found of schemaProblems(manifest)) {
    details.push(...found);
    await nextTurn();
    signal?.throwIfAborted();
  }
  return details;
};
