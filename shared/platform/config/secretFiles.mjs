// Values of environment variables that stand in files, as container platforms mount secrets: DATABASE_URL_FILE names the file
// that has the value of DATABASE_URL. Used by config.ts, and by the launcher before anything is installed.
import { readFileSync } from 'node:fs';

/** The variables that may be given so: those that contain a password or are one. */
const secrets = new Set([
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'MIGRATE_DATABASE_URL',
  'REDIS_URL',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
]);

/**
 * Returns the file that the environment names for a variable; undefined for none.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name of the variable
 * @returns {string | undefined}
 */
export function secretFile(env, name) {
  return (secrets.has(name) && env[`${name}_FILE`]) || undefined;
}

/**
 * Returns the value of a variable, from its file when the environment names one; undefined when neither is set. Throws an Error,
 * which never contains the value, when both are set, or the file cannot be read or does not hold one line.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name
 * @returns {string | undefined}
 */
export function givenValue(env, name) {
  const path = secretFile(env, name);
  if (path === undefined) return env[name] || undefined;
  const file = `${name}_FILE`;
  if (env[name]) throw new Error(`${name} and ${file} are both set: take one of them away.`);
  const value = readText(file, path).replace(/[\r\n]+$/, '');
  if (value === '') throw new Error(`${file} names an empty file, ${path}: write the value of ${name} into it.`);
  if (/[\r\n]/.test(value)) throw new Error(`${file} names a file with more than one line, ${path}.`);
  return value;
}

/**
 * @param {string} variable
 * @param {string} path
 */
function readText(variable, path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Error(`${variable} names a file that can't be read, ${path} (${code}).`, { cause: error });
  }
}

/**
 * Replaces the files that the environment names by their values, for programs that read nothing but the variables. Throws as
 * `givenValue` does.
 * @param {NodeJS.ProcessEnv} env
 */
export function readSecretFiles(env) {
  for (const name of secrets) {
    if (secretFile(env, name) === undefined) continue;
    env[name] = givenValue(env, name);
    delete env[`${name}_FILE`];
  }
}
