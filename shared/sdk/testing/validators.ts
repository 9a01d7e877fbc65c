/** The service's own checks of manifests, inputs, items and blocks, bundled once for `testApp` and for the command. */
export { validateBlocks } from '../../blocks/validateBlocks.ts';
export { compileDefinition, mergeDefinition, type Definition } from '../../environments/definition.ts';
export { manifestProblems, manifestWarnings, parseManifest } from '../../environments/readManifest.ts';
export { evaluateCondition, type ConditionExpression } from '../../platform/core/conditions.ts';
export { recordIdProblem, recordListProblems, recordProblems } from '../../records/recordProblems.ts';
