/** The service's own checks of manifests, inputs, items and blocks, and what they are made of, bundled once for `testApp` and for the command. */
export { validateBlocks } from '../../app/blocks/validateBlocks.ts';
export { compileDefinition, mergeDefinition, type Definition } from '../../app/manifest/definition.ts';
export { manifestProblems, manifestWarnings, parseManifest } from '../../app/manifest/readManifest.ts';
export { didYouMean, unknownNameMessage } from '../../platform/words/nearestNames.ts';
export { jsonProblem } from '../../platform/json/jsonLimits.ts';
export { evaluateCondition, getComparison, type ConditionExpression } from '../../platform/conditions/conditions.ts';
export { recordChangeProblems, recordListProblems } from '../../records/recordProblems.ts';
