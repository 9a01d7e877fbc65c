// The servers that the environment names, which `npm start` then uses in place of its own: which they are, whether the
// demo may be loaded there, and what keeps its keys apart. Used by startCommand.mjs and servers.mjs.
import { createHash } from 'node:crypto';
import { describeConnectError } from './connectError.mjs';
import { say, StartFailure } from './say.mjs';

/** Returns an address without its protocol, name, password and query. */
const placeOf = (/** @type {string} */ url) => /^[^:]*:\/\/(?:.*@)?([^?#]*)/.exec(url)?.[1] ?? '';

/**
 * Returns REDIS_PREFIX for a database of the data folder `dir` whose Redis is somebody else's: workers on the same keys would
 * take the jobs of one database for those of the other. Nothing where the environment names the database or the prefix too.
 * @param {string} dir DATA_DIR
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ REDIS_PREFIX?: string }}
 */
export function ownPrefix(dir, { DATABASE_URL, REDIS_URL, REDIS_PREFIX }) {
  if (!REDIS_URL || DATABASE_URL || REDIS_PREFIX) return {};
  return { REDIS_PREFIX: `console-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}` };
}

/** Prints which servers are started, and which are those of others. */
export function saySources() {
  const { DATABASE_URL, REDIS_URL } = process.env;
  if (DATABASE_URL) say(`using the PostgreSQL of DATABASE_URL: ${placeOf(DATABASE_URL)}`);
  if (REDIS_URL) say(`using the Redis of REDIS_URL: ${placeOf(REDIS_URL)}`);
  const own = [...(DATABASE_URL ? [] : ['PostgreSQL']), ...(REDIS_URL ? [] : ['Redis'])];
  if (own.length > 0) say(`starting ${own.join(' and ')}…`);
}

/**
 * Throws StartFailure unless the database that the environment names has no environment yet, or began with the demo's: in
 * any other one the demo's people, agents and keys would be strangers with an administrator's rights.
 * @returns {Promise<void>}
 */
export async function refuseForeignDatabase() {
  const { DATABASE_URL, MIGRATE_DATABASE_URL } = process.env;
  if (!DATABASE_URL) return;
  await refuseForeign('DATABASE_URL', DATABASE_URL);
  if (MIGRATE_DATABASE_URL && MIGRATE_DATABASE_URL !== DATABASE_URL)
    await refuseForeign('MIGRATE_DATABASE_URL', MIGRATE_DATABASE_URL);
}

/**
 * @param {string} variable
 * @param {string} url
 */
async function refuseForeign(variable, url) {
  const environments = await readEnvironments(url).catch((error) => {
    throw new StartFailure(
      `PostgreSQL at ${placeOf(url)} can’t be used with ${variable}: ${describeConnectError(error)}`,
    );
  });
  const [first] = environments;
  if (first === undefined || first.demo) return;
  const names = environments.slice(0, 3).map(({ name }) => `“${name}”`);
  throw new StartFailure(
    `${variable} names a database that is in use: ${placeOf(url)} has the environment${names.length > 1 ? 's' : ''} ` +
      `${names.join(', ')}${environments.length > names.length ? ' and others' : ''}. ` +
      'npm start loads a demo with people, agents and keys of its own, so it has changed nothing there.\n' +
      'For the demo unset DATABASE_URL, MIGRATE_DATABASE_URL and REDIS_URL (npm start then brings its own servers), ' +
      'or name an empty database.\n' +
      'For this database run npm run build, npm run api and npm run workers (docs/production.md).',
  );
}

/**
 * Returns the environments of a database, the oldest first, and whether the demo's loader made each.
 * @param {string} url
 * @returns {Promise<{ name: string, demo: boolean }[]>} none where the database has no schema of this service
 */
async function readEnvironments(url) {
  // A dynamic import, as the client exists only after the install.
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    application_name: 'console-launcher',
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    /** @type {{ rows: { known: boolean }[] }} */
    const { rows: tables } = await client.query("select to_regclass('environments') is not null as known");
    if (tables[0]?.known !== true) return [];
    /** @type {{ rows: { name: string, demo: boolean }[] }} */
    const { rows } = await client.query(`
      select e.name, exists (select from events v where v.env = e.id and v.verb = 'environment.create'
        and v.actor_type = 'system' and v.actor_name = 'demo') as demo
      from environments e order by e.id`);
    return rows;
  } finally {
    await client.end();
  }
}
