/** Reads manifests as apps send them, and lists every problem of one at once. */
import { Fault, fault, type FaultDetail } from '../catalogue/errors.ts';
import { compileCheck } from '../platform/core/validate.ts';
import { manifestSchema, type Manifest } from './manifest.ts';
import { crossReferenceProblems, problemsMax } from './manifestProblems.ts';
import { schemaProblems } from './manifestSchemas.ts';
import { extractValidParts, type ValidManifestParts } from './validManifestParts.ts';

const checkForm = compileCheck(manifestSchema, '', problemsMax);

export interface ParsedManifest extends ValidManifestParts {
  /** Of its form; with some, `manifest` is what else can be looked at. */
  readonly problems: readonly FaultDetail[];
}

const isValidForm = (value: unknown): boolean => {
  try {
    checkForm(value);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
};

/** A manifest as it came; what it says may still make no sense. */
export const parseManifestParts = (value: unknown): ParsedManifest => {
  try {
    return { manifest: checkForm(value), invalidPaths: new Set(), problems: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const problems = error.extra.details ?? [];
    return { manifest: {}, invalidPaths: new Set(), ...extractValidParts(value, problems, isValidForm), problems };
  }
};

/** A manifest that holds, or `400 invalid` with every problem in `details`. */
export const parseManifest = (value: unknown): Manifest => {
  const read = parseManifestParts(value);
  const problems = [...read.problems, ...crossReferenceProblems(read), ...[...schemaProblems(read.manifest)].flat()];
  if (problems.length > 0) throw fault('invalid', 'The manifest is not valid; see details.', { details: problems });
  return read.manifest;
};

/** Every problem of a manifest at once; an empty list means that it can be used. */
export const manifestProblems = (value: unknown): readonly FaultDetail[] => {
  try {
    parseManifest(value);
    return [];
  } catch (error) {
    if (error instanceof Fault) return error.extra.details ?? [];
    throw error;
  }
};
