/** Checks the JSON Schemas inside a manifest, one at a time, as one may take up to 0.2 s. Used by readManifest.ts and the definition of environments. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FaultDetail } from '../catalogue/errors.ts';
import { compileAppSchema, compileAppSchemaWithDefaults } from '../platform/core/appSchemas.ts';
import { objectSchemaProblems } from '../platform/core/jsonSchemaProblems.ts';
import { patternWork } from '../platform/core/linearPattern.ts';
import type { Manifest } from './manifest.ts';

/** Instructions of the compiled patterns of one manifest: `^[a-z]+@example\.com$` has 20. docs/manifest.md names it. */
const instructionsMax = 200_000;

const tooComplex = `is too complex: the patterns of all schemas so far have more than ${instructionsMax.toLocaleString('en')} instructions`;

/** Returns the problems of a schema whose form is right: that it can't be compiled. */
const compileProblems = (schema: object, path: string, compile: (schema: object) => unknown): FaultDetail[] => {
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

/** Yields the problems of one schema after the other; none is looked at behind the one with an instruction too many. */
export function* schemaProblems({ inboxes = [], actions = [] }: Manifest): Generator<FaultDetail[]> {
  const schemas = [
    ...inboxes.map(({ fields }, i) => ({
      schema: fields,
      path: `inboxes.${String(i)}.fields`,
      compile: compileAppSchema,
    })),
    ...actions.map(({ input }, i) => ({
      schema: input,
      path: `actions.${String(i)}.input`,
      compile: compileAppSchemaWithDefaults,
    })),
  ];
  let instructions = 0;
  for (const { schema, path, compile } of schemas) {
    if (schema === undefined) continue;
    const before = patternWork.checked;
    const problems = objectSchemaProblems(schema, path);
    instructions += patternWork.checked - before;
    const isTooComplex = instructions > instructionsMax;
    if (isTooComplex && problems.length === 0) problems.push({ path, message: tooComplex });
    yield problems.length > 0 ? problems : compileProblems(schema, path, compile);
    if (isTooComplex) return;
  }
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
