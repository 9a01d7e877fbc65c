/**
 * Validation by JSON Schemas of the customer's app, for shared/app/manifest. The schemas are not trusted: patterns run in
 * linear time, and the check of a value is bounded in time. jsonSchemaProblems.ts checks the schemas themselves.
 */
import { createContext, Script } from 'node:vm';
import addFormats from 'ajv-formats';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FaultDetail } from '../../catalogue/errors.ts';
import { createWeighedCache } from '../caches.ts';
import { exceedsPartCount, isObject } from './jsonLimits.ts';
import { instructionBytes, linearPattern } from './linearPattern.ts';
import { ajvDetails, validatorOptions } from './validate.ts';

/**
 * Bounds the time of a synchronous function, for the checks by customers' schemas in appSchemas.ts: a valid schema may take for
 * ever.
 */
interface Sandbox {
  work: (() => unknown) | undefined;
}

const sandbox: Sandbox = { work: undefined };
const context = createContext(sandbox);
const script = new Script('work()');

/** CPU time in ms after which the function is stopped for good; every request of the process waits for it. */
const cpuLimitMs = 100;
/** Wall-clock time of the first try in ms; each further try has twice as much. */
const firstTimeoutMs = 40;
/** The last try has 0.64 s. */
const attemptsMax = 5;

const timesOutAfter = (ms: number, work: () => void): boolean => {
  sandbox.work = work;
  try {
    script.runInContext(context, { timeout: ms });
    return false;
  } catch (error) {
    // The error may come from the other context, whose `Error` differs, so `instanceof` is of no use.
    if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true;
    throw error;
  } finally {
    sandbox.work = undefined;
  }
};

/**
 * Runs `work` and returns whether it completed. The time limit is wall-clock time, within which a busy machine may give the
 * process hardly any CPU time: so `work` is restarted until it has had `cpuLimitMs`. Costs about 0.05 ms. Throws what `work`
 * throws.
 */
const completesInTime = (work: () => void): boolean => {
  const from = process.cpuUsage();
  for (let i = 0; i < attemptsMax; i++) {
    if (!timesOutAfter(firstTimeoutMs * 2 ** i, work)) return true;
    const { user, system } = process.cpuUsage(from);
    // The processor time is that of all threads: a collection of garbage may take it, hardly ever that of two tries.
    if (i > 0 && (user + system) / 1000 >= cpuLimitMs) return false;
  }
  return false;
};

/** Ajv's option `code.regExp`. Its member `code` is for standalone code, which the service does not generate. */
type RegExpEngine = ((pattern: string) => ReturnType<typeof linearPattern>) & { readonly code: string };
const engine = (regExp: (pattern: string) => ReturnType<typeof linearPattern>): RegExpEngine =>
  Object.assign(regExp, { code: 'linearPattern' });

const createAppAjv = (options: Options, regExp: RegExpEngine): Ajv2020 => {
  const ajv = new Ajv2020({ ...validatorOptions, allErrors: true, code: { regExp }, ...options });
  addFormats.default(ajv);
  return ajv;
};

/** Holds schemas against the meta-schema of JSON Schema 2020-12. */
const metaAjv = createAppAjv({}, engine(linearPattern));

/** Bytes that a validator takes: at least, and for each character of its schema. */
const validatorBytes = { least: 8_000, perCharacter: 90 } as const;

/**
 * The validators that were used last, by schema: 128 MiB at most, besides those of the definitions in force, which their actions and
 * inboxes keep.
 */
const validators = createWeighedCache<ValidateFunction>(128 * 1024 * 1024);

/** Compiles a schema whose form was checked. By an instance of its own: Ajv keeps what it has compiled for as long as any of its validators lives. */
const compileAlone = (schema: object, useDefaults: boolean): { validate: ValidateFunction; instructions: number } => {
  const sizes = new Map<string, number>();
  const counted = engine((pattern) => {
    const matcher = linearPattern(pattern);
    sizes.set(pattern, matcher.size);
    return matcher;
  });
  const ajv = createAppAjv({ useDefaults, meta: false, validateSchema: false }, counted);
  const { $id: _, ...unnamed } = schema as { readonly $id?: unknown };
  const validate = ajv.compile(unnamed);
  return { validate, instructions: [...sizes.values()].reduce((sum, size) => sum + size, 0) };
};

const compileCached = (schema: object, text: string, useDefaults: boolean): ValidateFunction => {
  const key = `${String(useDefaults)} ${text}`;
  const known = validators.get(key);
  if (known !== undefined) return known;
  const { validate, instructions } = compileAlone(schema, useDefaults);
  const { least, perCharacter } = validatorBytes;
  validators.set(key, validate, least + text.length * perCharacter + instructions * instructionBytes);
  return validate;
};

/** Returns the problems of a schema by the meta-schema of JSON Schema 2020-12, with paths below `prefix`. Compiles nothing. */
export const metaSchemaProblems = (schema: object, prefix: string): FaultDetail[] => {
  const isValid = metaAjv.validateSchema(schema) === true;
  return isValid ? [] : ajvDetails(metaAjv.errors ?? [], prefix);
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
