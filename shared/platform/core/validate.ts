/** Strict validation by Ajv: schemas compile once, nothing is coerced or removed, and errors name each offending path. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { fault, type Detail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { hasMoreParts } from './guard.ts';
import type { Static, TSchema } from './schema.ts';

export const validatorOptions = { strict: false, logger: false, useDefaults: false, coerceTypes: false, removeAdditional: false, ownProperties: true } as const;
const ajv = new Ajv2020(validatorOptions);
const thoroughAjv = new Ajv2020({ ...validatorOptions, allErrors: true });
addFormats.default(ajv);
addFormats.default(thoroughAjv);

/** Of a value with more parts than this only the first error is told: finding half a million of them blocks everybody. */
const thoroughMax = 20_000;
/** Names and ids are shorter; a longer path doesn't help to find the place. */
const pathMax = 300;

const placeOf = (error: ErrorObject): string => {
  const place = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const params = error.params as { additionalProperty?: string; missingProperty?: string; unevaluatedProperty?: string };
  const member = params.additionalProperty ?? params.missingProperty ?? params.unevaluatedProperty;
  return (member === undefined ? place : place === '' ? member : `${place}.${member}`).slice(0, pathMax).toWellFormed();
};

const sentenceOf = (error: ErrorObject): string => {
  const params = error.params as { allowedValue?: unknown; allowedValues?: unknown[]; pattern?: string };
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not known here';
    case 'required':
      return 'is required';
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'enum':
      return `must be one of ${(params.allowedValues ?? []).map((value) => JSON.stringify(value)).join(', ')}`;
    default:
      return error.message ?? 'is not valid';
  }
};

/** Ajv reports every branch of a union; only the ones that say something about the value given are kept. */
const useful = (errors: readonly ErrorObject[]): readonly ErrorObject[] => {
  const plain = errors.filter((error) => error.keyword !== 'anyOf' && error.keyword !== 'oneOf');
  return plain.length === 0 ? errors : plain;
};

export const detailsOf = (errors: readonly ErrorObject[], prefix = '', most: number = limits.detailsMax): Detail[] => {
  const byPlace = new Map<string, string[]>();
  for (const error of useful(errors)) {
    const place = prefix + placeOf(error);
    const sentences = byPlace.get(place) ?? [];
    const sentence = sentenceOf(error);
    if (!sentences.includes(sentence)) sentences.push(sentence);
    byPlace.set(place, sentences);
    if (byPlace.size >= most) break;
  }
  return [...byPlace].map(([path, sentences]) => ({ path, message: sentences.join(' or ') }));
};

const summary = (details: readonly Detail[]): string => {
  const [first] = details;
  return first === undefined ? 'The request is not valid.' : `${first.path === '' ? 'The body' : first.path} ${first.message}.`;
};

export const invalidDetails = (details: readonly Detail[]): Error => fault('invalid', summary(details), { details });

export type Check<T> = (value: unknown) => T;

/** Compiles `schema` into a check that answers the value, typed, or throws `400 invalid` with every offending path, at most so many. */
export const compile = <T extends TSchema>(schema: T, prefix = '', most: number = limits.detailsMax): Check<Static<T>> => {
  let validate: ValidateFunction | undefined;
  let thorough: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    if (validate(value)) return value as Static<T>;
    if (hasMoreParts(value, thoroughMax)) throw invalidDetails(detailsOf(validate.errors ?? [], prefix));
    thorough ??= thoroughAjv.compile(schema);
    thorough(value);
    throw invalidDetails(detailsOf(thorough.errors ?? [], prefix, most));
  };
};

/** Like `compile`, answering the problems instead of throwing: for schemas of our own, whose patterns are known to be linear. */
export const ownProblemsOf = (schema: TSchema): ((value: unknown, prefix: string) => Detail[]) => {
  let validate: ValidateFunction | undefined;
  return (value, prefix) => {
    validate ??= thoroughAjv.compile(schema);
    return validate(value) ? [] : detailsOf(validate.errors ?? [], prefix);
  };
};
