/**
 * Validation by schemas of the customer's app: nothing of them is trusted, so patterns run in linear time and checking
 * a value is given up after a while. What is wrong with such a schema itself is found by jsonSchemaProblems.ts.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FaultDetail } from '../../catalogue/errors.ts';
import { exceedsPartCount } from './jsonLimits.ts';
import { linearPattern } from './linearPattern.ts';
import { ajvDetails, validatorOptions } from './validate.ts';
import { completesInTime } from './timeLimit.ts';

/** Two instances of their own for schemas of the customer's app: by whether defaults are filled in. */
const createAppAjvs = (): readonly [Ajv2020, Ajv2020] => {
  const both = [false, true].map(
    (useDefaults) =>
      new Ajv2020({ ...validatorOptions, useDefaults, allErrors: true, code: { regExp: linearPattern } }),
  );
  for (const own of both) addFormats.default(own);
  return both as [Ajv2020, Ajv2020];
};

/** Ajv keeps something of everything that it ever compiled, and definitions are opened anew again and again. */
const compiledSchemasMax = 1_000;
let [plainAjv, fillingAjv] = createAppAjvs();
const compiledSchemas = new Map<string, ValidateFunction>();

const compileCached = (schema: object, text: string, useDefaults: boolean): ValidateFunction => {
  const key = `${String(useDefaults)} ${text}`;
  const known = compiledSchemas.get(key);
  if (known !== undefined) return known;
  if (compiledSchemas.size >= compiledSchemasMax) {
    compiledSchemas.clear();
    [plainAjv, fillingAjv] = createAppAjvs();
  }
  const { $id: _, ...unnamed } = schema as { readonly $id?: unknown };
  const compiled = (useDefaults ? fillingAjv : plainAjv).compile(unnamed);
  compiledSchemas.set(key, compiled);
  return compiled;
};

/** What is wrong with a schema by the meta-schema of JSON Schema 2020-12, with paths below `prefix`. Compiles nothing. */
export const metaSchemaProblems = (schema: object, prefix: string): FaultDetail[] => {
  const isValid = plainAjv.validateSchema(schema) === true;
  return isValid ? [] : ajvDetails(plainAjv.errors ?? [], prefix);
};

/** Keywords by which checking even a small value can take long. */
const slowKeywords = /"(?:\$ref|uniqueItems|contains|pattern|patternProperties|format)":/;
/** A value with more parts is slow to check against any schema. */
const fastValueParts = 2_000;
/** A value with its defaults filled in may have more parts than any request can bring. */
const filledValuePartsMax = 100_000;

const createAppValidator = (
  schema: object,
  useDefaults: boolean,
): ((value: unknown, prefix: string) => FaultDetail[]) => {
  const text = JSON.stringify(schema);
  const validate = compileCached(schema, text, useDefaults);
  const isSlow = slowKeywords.test(text);
  const problem = (value: unknown): string | null => {
    const check = (): void => void validate(value);
    try {
      if (!isSlow && !exceedsPartCount(value, fastValueParts)) check();
      else if (!completesInTime(check)) return 'takes too long to check';
    } catch (error) {
      if (error instanceof RangeError) return 'is too large to check';
      throw error;
    }
    return useDefaults && exceedsPartCount(value, filledValuePartsMax) ? 'is too large with its defaults' : null;
  };
  return (value, prefix) => {
    const message = problem(value);
    return message === null
      ? ajvDetails(validate.errors ?? [], prefix)
      : [{ path: prefix.replace(/\.$/, ''), message }];
  };
};

/** Answers a check that tells the problems of a value, with paths below `prefix`. Throws for a schema that can't be compiled. */
export const compileAppSchema = (schema: object): ((value: unknown, prefix: string) => FaultDetail[]) =>
  createAppValidator(schema, false);

/** The same, filling the schema's defaults into the value first. */
export const compileAppSchemaWithDefaults = (schema: object): ((value: unknown, prefix: string) => FaultDetail[]) =>
  createAppValidator(schema, true);
