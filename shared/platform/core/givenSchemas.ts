/**
 * Validation by schemas of the customer's app: nothing of them is trusted, so patterns run in linear time and checking
 * a value is given up after a while. What is wrong with such a schema itself is found by schemaForm.ts.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Detail } from '../../catalogue/errors.ts';
import { hasMoreParts } from './guard.ts';
import { linearPattern } from './linearPattern.ts';
import { detailsOf, validatorOptions } from './validate.ts';
import { finishes } from './watched.ts';

/** Two instances of their own for schemas of the customer's app: by whether defaults are filled in. */
const givenAjvs = (): readonly [Ajv2020, Ajv2020] => {
  const both = [false, true].map((useDefaults) => new Ajv2020({ ...validatorOptions, useDefaults, allErrors: true, code: { regExp: linearPattern } }));
  for (const own of both) addFormats.default(own);
  return both as [Ajv2020, Ajv2020];
};

/** Ajv keeps something of everything that it ever compiled, and definitions are opened anew again and again. */
const compiledMax = 1_000;
let [plainAjv, fillingAjv] = givenAjvs();
const compiledGiven = new Map<string, ValidateFunction>();

const compileGiven = (schema: object, text: string, useDefaults: boolean): ValidateFunction => {
  const key = `${String(useDefaults)} ${text}`;
  const known = compiledGiven.get(key);
  if (known !== undefined) return known;
  if (compiledGiven.size >= compiledMax) {
    compiledGiven.clear();
    [plainAjv, fillingAjv] = givenAjvs();
  }
  const { $id: _, ...unnamed } = schema as { readonly $id?: unknown };
  const compiled = (useDefaults ? fillingAjv : plainAjv).compile(unnamed);
  compiledGiven.set(key, compiled);
  return compiled;
};

/** What is wrong with a schema by the meta-schema of JSON Schema 2020-12, with paths below `prefix`. Compiles nothing. */
export const metaProblems = (schema: object, prefix: string): Detail[] => {
  const isValid = plainAjv.validateSchema(schema) === true;
  return isValid ? [] : detailsOf(plainAjv.errors ?? [], prefix);
};

/** Keywords by which checking even a small value can take long. */
const slow = /"(?:\$ref|uniqueItems|contains|pattern|patternProperties|format)":/;
/** A value with more parts is slow to check against any schema. */
const quickParts = 2_000;
/** A value with its defaults filled in may have more parts than any request can bring. */
const filledParts = 100_000;

const given = (schema: object, useDefaults: boolean): ((value: unknown, prefix: string) => Detail[]) => {
  const text = JSON.stringify(schema);
  const validate = compileGiven(schema, text, useDefaults);
  const isSlow = slow.test(text);
  const problem = (value: unknown): string | null => {
    const check = (): void => void validate(value);
    try {
      if (!isSlow && !hasMoreParts(value, quickParts)) check();
      else if (!finishes(check)) return 'takes too long to check';
    } catch (error) {
      if (error instanceof RangeError) return 'is too large to check';
      throw error;
    }
    return useDefaults && hasMoreParts(value, filledParts) ? 'is too large with its defaults' : null;
  };
  return (value, prefix) => {
    const message = problem(value);
    return message === null ? detailsOf(validate.errors ?? [], prefix) : [{ path: prefix.replace(/\.$/, ''), message }];
  };
};

/** Answers a check that tells the problems of a value, with paths below `prefix`. Throws for a schema that can't be compiled. */
export const problemsOf = (schema: object): ((value: unknown, prefix: string) => Detail[]) => given(schema, false);

/** The same, filling the schema's defaults into the value first. */
export const filledProblemsOf = (schema: object): ((value: unknown, prefix: string) => Detail[]) => given(schema, true);
