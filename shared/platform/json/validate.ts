/** Strict validation by Ajv, for every layer: a schema compiles at its first use, nothing is coerced or removed, and errors name each offending path. */
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { Fault, fault, type FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { getOrCreate } from '../caches.ts';
import { listNearest, unknownNameMessage } from '../words/nearestNames.ts';
import { exceedsPartCount } from './jsonLimits.ts';
import { patternSentence, type Static, type TSchema } from './schema.ts';

export const validatorOptions = {
  strict: false,
  logger: false,
  useDefaults: false,
  coerceTypes: false,
  removeAdditional: false,
  ownProperties: true,
} as const;
const ajv = new Ajv2020(validatorOptions);
/** Verbose: its errors have the schema that declares the members, so that those can be named. */
const allErrorsAjv = new Ajv2020({ ...validatorOptions, allErrors: true, verbose: true });
addFormats.default(ajv);
addFormats.default(allErrorsAjv);

/** Of a value with more members and elements only the first error is reported: finding half a million would block the process. */
const allErrorsPartsMax = 20_000;
/** Names and ids are shorter; a longer path doesn't help to find the place. */
const pathMax = 300;

const errorPath = (error: ErrorObject): string => {
  const place = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const params = error.params as {
    additionalProperty?: string;
    missingProperty?: string;
    unevaluatedProperty?: string;
  };
  const member = params.additionalProperty ?? params.missingProperty ?? params.unevaluatedProperty;
  return (member === undefined ? place : place === '' ? member : `${place}.${member}`).slice(0, pathMax).toWellFormed();
};

/** Members of an object that an error names at most. */
const namedMembers = 10;
/** Values of an enum that an error names at most. */
const namedValues = 50;

/** Returns a list of values as a sentence has it, with how many others there are. */
const listValues = (values: readonly unknown[], separator: string, prefix = ''): string => {
  const named = values.slice(0, namedValues).map((value) => `${prefix}${JSON.stringify(value)}`);
  const others = values.length - named.length;
  return `${named.join(separator)}${others > 0 ? ` and ${String(others)} more` : ''}`;
};

/** Returns the names of the members that the schema of an error declares. */
const membersOf = ({ parentSchema }: ErrorObject): string[] => {
  const declared: unknown = parentSchema?.['properties'];
  return typeof declared === 'object' && declared !== null ? Object.keys(declared) : [];
};

const errorMessage = (error: ErrorObject): string => {
  const params = error.params as { allowedValues?: unknown[]; pattern?: string };
  switch (error.keyword) {
    case 'unevaluatedProperties':
      return 'is not known here';
    case 'required':
      return 'is required';
    case 'enum':
      return `must be one of ${listValues(params.allowedValues ?? [], ', ')}`;
    case 'pattern':
      return patternSentence(params.pattern ?? '') ?? error.message ?? 'is not valid';
    case 'type': {
      const members = membersOf(error);
      return error.message === 'must be object' && members.length > 0
        ? `must be object, with ${members.slice(0, namedMembers).join(', ')}`
        : (error.message ?? 'is not valid');
    }
    default:
      return error.message ?? 'is not valid';
  }
};

/** Returns the members that exist where an unknown one was found; null for other errors. */
const declaredMembers = (error: ErrorObject): string[] | null =>
  error.keyword === 'additionalProperties' ? membersOf(error) : null;

/** Returns the sentence about a value that is none of these constants, the nearest in spelling first. */
const constantsMessage = (value: unknown, constants: readonly unknown[]): string => {
  const texts = constants.filter((constant) => typeof constant === 'string');
  return typeof value === 'string' && texts.length === constants.length && texts.length > 1
    ? `must be one of ${listNearest(value, texts)}`
    : listValues(constants, ' or ', 'must be ');
};

/** Returns the errors without those of unions themselves, unless there are no others: Ajv reports every branch too. */
const relevantErrors = (errors: readonly ErrorObject[]): readonly ErrorObject[] => {
  const plain = errors.filter((error) => error.keyword !== 'anyOf' && error.keyword !== 'oneOf');
  return plain.length === 0 ? errors : plain;
};

/** The errors at one path. */
interface Found {
  readonly sentences: string[];
  readonly constants: unknown[];
  known: string[] | null;
  value: unknown;
}

/** Returns Ajv's errors as details, one per path (with all its messages), at most `most`. */
export const ajvDetails = (
  errors: readonly ErrorObject[],
  prefix = '',
  most: number = limits.detailsMax,
): FaultDetail[] => {
  const byPlace = new Map<string, Found>();
  for (const error of relevantErrors(errors)) {
    const place = prefix + errorPath(error);
    const found = getOrCreate(byPlace, place, (): Found => ({
      sentences: [],
      constants: [],
      known: null,
      value: undefined,
    }));
    const declared = declaredMembers(error);
    if (error.keyword === 'const') {
      found.constants.push((error.params as { allowedValue?: unknown }).allowedValue);
      found.value = error.data;
    }
    const sentence = declared === null && error.keyword !== 'const' ? errorMessage(error) : null;
    if (declared !== null) found.known = [...(found.known ?? []), ...declared];
    if (sentence !== null && !found.sentences.includes(sentence)) found.sentences.push(sentence);
    if (byPlace.size >= most) break;
  }
  /** Of a value that is there, that it may be left empty helps nobody: what is wrong in it is told. */
  const isNoise = (path: string, { sentences, constants, known }: Found): boolean =>
    constants.length === 0 &&
    known === null &&
    sentences.every((sentence) => sentence === 'must be null') &&
    [...byPlace.keys()].some((other) => other.startsWith(`${path}.`));
  const told = [...byPlace].filter(([path, found]) => !isNoise(path, found));
  return told.map(([path, { sentences, constants, known, value }]) => {
    const unknown = known === null ? [] : [unknownNameMessage(path.slice(path.lastIndexOf('.') + 1), known)];
    const named = constants.length === 0 ? [] : [constantsMessage(value, constants)];
    return { path, message: [...unknown, ...named, ...sentences].join(' or ') };
  });
};

const summary = (details: readonly FaultDetail[]): string => {
  const [first] = details;
  return first === undefined
    ? 'The request is not valid.'
    : `${first.path === '' ? 'The body' : first.path} ${first.message}.`;
};

/** Returns `400 invalid` with these details; the first one makes the message. */
export const invalidFault = (details: readonly FaultDetail[]): Fault => fault('invalid', summary(details), { details });

/**
 * Returns a fault with its paths moved to where its input stands in the request: an `invalid` one, or a `not_found` that names
 * what was meant. Any other fault comes back as it is.
 */
export const movePaths = (problem: Fault, place: (path: string) => string): Fault => {
  const { code, message, extra } = problem;
  if (extra.details === undefined || (code !== 'invalid' && code !== 'not_found')) return problem;
  const details = extra.details.map(({ path, message: what }) => ({ path: place(path), message: what }));
  return code === 'invalid' ? invalidFault(details) : fault(code, message, { ...extra, details });
};

const prefixPaths = (place: string, error: unknown): unknown =>
  error instanceof Fault ? movePaths(error, (path) => `${place}.${path}`) : error;

/** Returns the result of `check`; problems that it throws get the prefix of their place in the request. */
export const withPathPrefix = <T>(place: string, check: () => T): T => {
  try {
    return check();
  } catch (error) {
    throw prefixPaths(place, error);
  }
};

/** Resolves with the result of `check`; problems that it throws get the prefix of their place in the request. */
export const withPathPrefixLater = async <T>(place: string, check: () => Promise<T>): Promise<T> => {
  try {
    return await check();
  } catch (error) {
    throw prefixPaths(place, error);
  }
};

export type Check<T> = (value: unknown) => T;

/** Returns a check that returns the value, typed, or throws `400 invalid` with every offending path below `prefix`, at most `most`. */
export const compileCheck = <T extends TSchema>(
  schema: T,
  prefix = '',
  most: number = limits.detailsMax,
): Check<Static<T>> => {
  let validate: ValidateFunction | undefined;
  let thorough: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema, from which the type is inferred, has accepted the value
    if (validate(value)) return value as Static<T>;
    if (exceedsPartCount(value, allErrorsPartsMax)) throw invalidFault(ajvDetails(validate.errors ?? [], prefix));
    thorough ??= allErrorsAjv.compile(schema);
    thorough(value);
    throw invalidFault(ajvDetails(thorough.errors ?? [], prefix, most));
  };
};

/** Returns a check that returns the problems with paths below `prefix`. For the service's own schemas, whose patterns are linear. */
export const compileProblemCheck = (schema: TSchema): ((value: unknown, prefix: string) => FaultDetail[]) => {
  let validate: ValidateFunction | undefined;
  return (value, prefix) => {
    validate ??= allErrorsAjv.compile(schema);
    return validate(value) ? [] : ajvDetails(validate.errors ?? [], prefix);
  };
};
