/** Parses manifests of apps, and lists all problems of one at once. */
import { Fault, fault, type FaultDetail } from '../../catalogue/errors.ts';
import { compileCheck } from '../../platform/json/validate.ts';
import { manifestSchema, type Manifest } from './manifest.ts';
import { crossReferenceProblems, problemsMax } from './manifestProblems.ts';
import { schemaProblems } from './manifestSchemas.ts';
import { unknownNamesIn } from './unknownNames/unknownNames.ts';
import { extractValidParts, type ValidManifestParts } from './validManifestParts.ts';

const checkForm = compileCheck(manifestSchema, '', problemsMax);

export interface ParsedManifest extends ValidManifestParts {
  /** The problems of the form; when there are some, `manifest` contains only what can be checked further. */
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

/** Parses the form of a manifest. What it declares is not checked yet. */
export const parseManifestParts = (value: unknown): ParsedManifest => {
  try {
    return { manifest: checkForm(value), invalidPaths: new Set(), problems: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const problems = error.extra.details ?? [];
    return { manifest: {}, invalidPaths: new Set(), ...extractValidParts(value, problems, isValidForm), problems };
  }
};

/** Returns a valid manifest. Throws `400 invalid` with all problems in `details`. */
export const parseManifest = (value: unknown): Manifest => {
  const read = parseManifestParts(value);
  const problems = [...read.problems, ...crossReferenceProblems(read), ...[...schemaProblems(read.manifest)].flat()];
  if (problems.length > 0) throw fault('invalid', 'The manifest is not valid; see details.', { details: problems });
  return read.manifest;
};

/** Returns all problems of a manifest; none when it is valid. */
export const manifestProblems = (value: unknown): readonly FaultDetail[] => {
  try {
    parseManifest(value);
    return [];
  } catch (error) {
    if (error instanceof Fault) return error.extra.details ?? [];
    throw error;
  }
};

/** Returns the names in a manifest that lead nowhere although the service takes it; none where its form is not valid. */
export const manifestWarnings = (value: unknown): readonly FaultDetail[] => {
  const { manifest, problems } = parseManifestParts(value);
  return problems.length === 0 ? unknownNamesIn(manifest) : [];
};
