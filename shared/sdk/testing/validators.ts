/** The service's own checks of manifests, inputs, items and blocks, and what they are made of, bundled once for `testApp` and for the command. */
export { validateBlocks } from '../../blocks/validateBlocks.ts';
export { compileDefinition, mergeDefinition, type Definition } from '../../environments/definition.ts';
export { manifestProblems, manifestWarnings, parseManifest } from '../../environments/readManifest.ts';
export { didYouMean, unknownNameMessage } from '../../platform/core/nearestNames.ts';
export { jsonProblem } from '../../platform/core/jsonLimits.ts';
export { evaluateCondition, getComparison, type ConditionExpression } from '../../platform/core/conditions.ts';
export { recordChangeProblems, recordListProblems } from '../../records/recordProblems.ts';
