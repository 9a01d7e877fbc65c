// Makes a PostgreSQL data folder ready: locale, owner, application role, database. Called by postgres.mjs.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dieWithParent, runProcess } from './processes.mjs';
import { StartFailure } from './say.mjs';

/** The superuser, who migrates, and the role of the API and the workers, who may only do what migrations grant. */
export const ownerRole = 'console_owner';
export const appRole = 'console_app';
export const databaseName = 'console';

/**
 * @typedef {{ owner: string, app: string }} Passwords
 * @typedef {import('./postgresBinary.mjs').PostgresBinary} PostgresBinary
 * @typedef {import('./userMode.mjs').UserMode} UserMode
 */

/**
 * Returns the two passwords of this folder, generated at the first call and stored in a file that only its owner can read.
 * @param {string} dir
 * @returns {Passwords}
 */
export function passwords(dir) {
  const file = join(dir, 'passwords.json');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that this function wrote itself
  if (existsSync(file)) return /** @type {Passwords} */ (JSON.parse(readFileSync(file, 'utf8')));
  const made = { owner: randomBytes(18).toString('hex'), app: randomBytes(18).toString('hex') };
  writeFileSync(`${file}.new`, JSON.stringify(made), { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return made;
}

/**
 * Runs initdb unless it was done. It works in `data.new` and is renamed at the end, so that an interrupted one leaves nothing.
 * @param {object} options
 * @param {string} options.dir
 * @param {PostgresBinary} options.binary
 * @param {UserMode} options.mode
 * @param {boolean} options.durable
 * @returns {Promise<void>}
 */
export async function initialise({ dir, binary, mode, durable }) {
  const data = join(dir, 'data');
  if (existsSync(join(data, 'PG_VERSION'))) return;
  const fresh = join(dir, 'data.new');
  const secret = join(dir, 'initdb-password');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  writeFileSync(secret, passwords(dir).owner, { mode: 0o600 });
  mode.own(fresh);
  mode.own(secret);
  const command = [
    binary.initdb,
    '-D',
    fresh,
    '-U',
    ownerRole,
    '-A',
    'scram-sha-256',
    `--pwfile=${secret}`,
    '-E',
    'UTF8',
    ...locale(binary.major),
  ];
  if (!durable) command.push('--no-sync');
  const done = await runProcess([...mode.prefix, ...dieWithParent(command, 'SIGTERM')], { user: mode.user, cwd: '/' });
  rmSync(secret, { force: true });
  if (done.code !== 0) throw new StartFailure(`initdb failed:\n${done.output}`);
  renameSync(fresh, data);
}

/** Returns a locale with Unicode: under `--no-locale` accented letters have no case, and the search index drops them. */
function locale(/** @type {number} */ major) {
  return major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'] : ['--locale=C.UTF-8'];
}

/**
 * Makes the application role and the database, unless they are there.
 * @param {string} adminUrl the owner's address of the database `postgres`
 * @param {string} appPassword
 * @returns {Promise<void>}
 */
export async function prepare(adminUrl, appPassword) {
  // A dynamic import, as the client exists only after the install.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'console-launcher' });
  await client.connect();
  try {
    const role = await client.query('select from pg_roles where rolname = $1', [appRole]);
    if (role.rowCount === 0) await client.query(`create role ${appRole} login password '${appPassword}'`);
    const database = await client.query('select from pg_database where datname = $1', [databaseName]);
    if (database.rowCount === 0) await client.query(`create database ${databaseName} owner ${ownerRole}`);
  } finally {
    await client.end();
  }
}
