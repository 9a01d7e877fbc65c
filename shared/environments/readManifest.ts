/** Reads manifests as apps send them, and lists every problem of one at once. */
import { Fault, fault, type Detail } from '../catalogue/errors.ts';
import { compile } from '../platform/core/validate.ts';
import { manifestSchema, type Manifest } from './manifest.ts';
import { crossProblems, problemsMax } from './manifestProblems.ts';
import { schemaProblems } from './schemas.ts';
import { soundParts, type Sound } from './soundParts.ts';

const checkForm = compile(manifestSchema, '', problemsMax);

export interface ReadManifest extends Sound {
  /** Of its form; with some, `manifest` is what else can be looked at. */
  readonly problems: readonly Detail[];
}

const isSound = (value: unknown): boolean => {
  try {
    checkForm(value);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
};

/** A manifest as it came; what it says may still make no sense. */
export const readManifest = (value: unknown): ReadManifest => {
  try {
    return { manifest: checkForm(value), unsound: new Set(), problems: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const problems = error.extra.details ?? [];
    return { manifest: {}, unsound: new Set(), ...soundParts(value, problems, isSound), problems };
  }
};

/** A manifest that holds, or `400 invalid` with every problem in `details`. */
export const parseManifest = (value: unknown): Manifest => {
  const read = readManifest(value);
  const problems = [...read.problems, ...crossProblems(read), ...[...schemaProblems(read.manifest)].flat()];
  if (problems.length > 0) throw fault('invalid', 'The manifest is not valid; see details.', { details: problems });
  return read.manifest;
};

/** Every problem of a manifest at once; an empty list means that it can be used. */
export const manifestProblems = (value: unknown): readonly Detail[] => {
  try {
    parseManifest(value);
    return [];
  } catch (error) {
    if (error instanceof Fault) return error.extra.details ?? [];
    throw error;
  }
};
