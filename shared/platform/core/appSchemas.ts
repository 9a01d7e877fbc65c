/**
 * Validation by JSON Schemas of the customer's app, for shared/environments. The schemas are not trusted: patterns run in
 * linear time, and the check of a value is bounded in time. jsonSchemaProblems.ts checks the schemas themselves.
 */
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FaultDetail } from '../../catalogue/errors.ts';
import { exceedsPartCount } from './jsonLimits.ts';
import { linearPattern, patternWork } from './linearPattern.ts';
import { completesInTime } from './timeLimit.ts';
import { ajvDetails, validatorOptions } from './validate.ts';

const createAppAjv = (useDefaults: boolean): Ajv2020 => {
  const ajv = new Ajv2020({ ...validatorOptions, useDefaults, allErrors: true, code: { regExp: linearPattern } });
  addFormats.default(ajv);
  return ajv;
};

/**
 * Ajv never frees what it has compiled, and definitions are compiled with every reload: both instances are replaced at this size. An
 * instruction of a pattern takes about 60 bytes.
 */
const compiledMax = { schemas: 1_000, instructions: 2_000_000 } as const;
let plainAjv = createAppAjv(false);
let fillingAjv = createAppAjv(true);
const compiledSchemas = new Map<string, ValidateFunction>();
/** `patternWork.kept` at the last replacement of the instances. */
let keptBefore = 0;

const compileCached = (schema: object, text: string, useDefaults: boolean): ValidateFunction => {
  const key = `${String(useDefaults)} ${text}`;
  const known = compiledSchemas.get(key);
  if (known !== undefined) return known;
  if (compiledSchemas.size >= compiledMax.schemas || patternWork.kept - keptBefore > compiledMax.instructions) {
    compiledSchemas.clear();
    keptBefore = patternWork.kept;
    plainAjv = createAppAjv(false);
    fillingAjv = createAppAjv(true);
  }
  const { $id: _, ...unnamed } = schema as { readonly $id?: unknown };
  const compiled = (useDefaults ? fillingAjv : plainAjv).compile(unnamed);
  compiledSchemas.set(key, compiled);
  return compiled;
};

/** Returns the problems of a schema by the meta-schema of JSON Schema 2020-12, with paths below `prefix`. Compiles nothing. */
export const metaSchemaProblems = (schema: object, prefix: string): FaultDetail[] => {
  const isValid = plainAjv.validateSchema(schema) === true;
  return isValid ? [] : ajvDetails(plainAjv.errors ?? [], prefix);
};

/** Keywords that can make the check of a small value slow. */
const slowKeywords = /"(?:\$ref|uniqueItems|contains|pattern|patternProperties|format)":/;
/** A value with more members and elements may be slow to check against any schema. */
const fastValueParts = 2_000;
/** Characters of the schema times members and elements of the value: more may be slow, as each may be held against each. */
const fastProduct = 250_000;
/** Members and elements of a value with its defaults: more than a request can bring (`jsonPartsMax`). */
const filledValuePartsMax = 100_000;

const createAppValidator = (
  schema: object,
  useDefaults: boolean,
): ((value: unknown, prefix: string) => FaultDetail[]) => {
  const text = JSON.stringify(schema);
  const validate = compileCached(schema, text, useDefaults);
  const isSlow = slowKeywords.test(text);
  const fastParts = Math.min(fastValueParts, fastProduct / text.length);
  /** Returns the problems, or null where to find them takes too long. */
  const find = (value: unknown, prefix: string): FaultDetail[] | null => {
    let details: FaultDetail[] | null = null;
    const check = (): void => {
      details = validate(value) ? [] : ajvDetails(validate.errors ?? [], prefix);
    };
    if (!isSlow && !exceedsPartCount(value, fastParts)) check();
    else if (!completesInTime(check)) details = null;
    // The errors may be millions.
    validate.errors = null;
    return details;
  };
  return (value, prefix) => {
    const problem = (message: string): FaultDetail[] => [{ path: prefix.replace(/\.$/, ''), message }];
    try {
      const details = find(value, prefix);
      if (details === null) return problem('takes too long to check');
      if (details.length > 0) return details;
    } catch (error) {
      if (error instanceof RangeError) return problem('is too large to check');
      throw error;
    }
    return useDefaults && exceedsPartCount(value, filledValuePartsMax) ? problem('is too large with its defaults') : [];
  };
};

/** Returns a function that lists the problems of a value, with paths below `prefix`. Throws when the schema can't be compiled. */
export const compileAppSchema = (schema: object): ((value: unknown, prefix: string) => FaultDetail[]) =>
  createAppValidator(schema, false);

/** As `compileAppSchema`; the function also fills the schema's defaults into the value, in place. */
export const compileAppSchemaWithDefaults = (schema: object): ((value: unknown, prefix: string) => FaultDetail[]) =>
  createAppValidator(schema, true);
