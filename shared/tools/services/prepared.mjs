// Remembers that the database of a data folder is migrated and has the demo, so that the next `npm start` leaves out the
// programs that would find nothing to do. Used by startCommand.mjs.
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compilePrograms } from './compile.mjs';

const file = (/** @type {string} */ dir) => join(dir, 'prepared');

/**
 * Returns a name for what the steps of the start depend on: the programs, the service's address, and the database with its
 * settings, as each change of these raises the revision. Undefined: the database has none yet.
 * @param {string} ownerUrl
 * @param {string} publicUrl
 * @returns {Promise<string | undefined>}
 */
async function stateOf(ownerUrl, publicUrl) {
  // A dynamic import, as the client exists only after the install.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'console-launcher' });
  await client.connect();
  try {
    /** @type {{ rows: { state: string }[] }} */
    const { rows } = await client.query(
      "select s.system_identifier || ' ' || r.n as state from pg_control_system() s, revisions r",
    );
    const parts = [basename(await compilePrograms()), publicUrl, rows[0]?.state];
    return createHash('sha256').update(parts.join('\n')).digest('hex');
  } catch {
    // The table is missing before the first migration.
    return undefined;
  } finally {
    await client.end();
  }
}

/**
 * Returns whether `rememberPrepared` was called for the same programs, address, database and settings.
 * @param {string} dir DATA_DIR
 * @param {string} ownerUrl of the server of this folder
 * @param {string} publicUrl
 */
export async function isPrepared(dir, ownerUrl, publicUrl) {
  try {
    return readFileSync(file(dir), 'utf8') === (await stateOf(ownerUrl, publicUrl));
  } catch {
    return false;
  }
}

/**
 * Remembers that every step of the start is done.
 * @param {string} dir DATA_DIR
 * @param {string} ownerUrl of the server of this folder
 * @param {string} publicUrl
 */
export async function rememberPrepared(dir, ownerUrl, publicUrl) {
  const state = await stateOf(ownerUrl, publicUrl);
  if (state === undefined) return;
  writeFileSync(`${file(dir)}.new`, state);
  renameSync(`${file(dir)}.new`, file(dir));
}
