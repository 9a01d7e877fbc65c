/** Checks the JSON Schemas inside a manifest, one at a time, as one may take up to 0.2 s. Used by readManifest.ts and the definition of environments. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FaultDetail } from '../catalogue/errors.ts';
import { compileAppSchema, compileAppSchemaWithDefaults } from '../platform/core/appSchemas.ts';
import { objectSchemaProblems } from '../platform/core/jsonSchemaProblems.ts';
import { patternWork } from '../platform/core/linearPattern.ts';
import type { Manifest } from './manifest.ts';

/** Instructions of the compiled patterns of one manifest: `^[a-z]+@example\.com$` has 20. docs/manifest.md names it. */
const instructionsMax = 200_000;

/** Counts the instructions of the patterns of a manifest. */
interface PatternCount {
  instructions: number;
}

/** Returns the problems of a schema: those of its form, or that it can't be compiled. */
const problemsIn = (
  schema: object,
  path: string,
  { compile, count }: { readonly compile: (schema: object) => unknown; readonly count: PatternCount },
): FaultDetail[] => {
  const before = patternWork.checked;
  const problems = objectSchemaProblems(schema, path);
  count.instructions += patternWork.checked - before;
  if (problems.length > 0) return problems;
  if (count.instructions > instructionsMax)
    return [
      { path, message: 'is too complex: the patterns of all schemas so far have more than 200,000 instructions' },
    ];
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
  const count: PatternCount = { instructions: 0 };
  const plain = { compile: compileAppSchema, count };
  const filling = { compile: compileAppSchemaWithDefaults, count };
  for (const [i, { fields }] of inboxes.entries())
    if (fields !== undefined && count.instructions <= instructionsMax)
      yield problemsIn(fields, `inboxes.${String(i)}.fields`, plain);
  for (const [i, { input }] of actions.entries())
    if (input !== undefined && count.instructions <= instructionsMax)
      yield problemsIn(input, `actions.${String(i)}.input`, filling);
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
