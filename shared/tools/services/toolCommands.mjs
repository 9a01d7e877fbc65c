// `npm run admin | watch | app:offline | app:online | bench | chaos | soak`: programs of the project, each with the servers that it needs.
import { program } from './compile.mjs';
import { localBaseUrl, readAccess } from './greeting.mjs';
import { install } from './install.mjs';
import { quietStep, show } from './node.mjs';
import { dataDir } from './paths.mjs';
import { switchSampleApp } from './sampleApp.mjs';
import { say, StartFailure } from './say.mjs';
import { hasDatabase, isReserved, openServers, reserveServers, throwAwayDir } from './servers.mjs';
import { readState } from './state.mjs';
import { stopAll } from './stopping.mjs';

/**
 * Runs an administration command on the servers that the environment names, else on those of the `npm start` that runs
 * on the data folder, else on servers of that folder that run for this one call. An `npm start` that is still starting,
 * and another administration command, are waited for. Says that it works on the data folder, and refuses to where the
 * environment names a part of another installation.
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function adminCommand(args) {
  await install({ dev: false });
  const dir = dataDir();
  const env = { ...process.env, DATA_DIR: dir };
  // Help, and a command that names nothing to administer, need no servers.
  const isHelp = (/** @type {string} */ word) => word === '--help' || word === '-h';
  const isCall = args[0] !== undefined && args[0] !== 'help' && !args[0].startsWith('-') && !args.some(isHelp);
  if (!isCall || (process.env.DATABASE_URL && process.env.REDIS_URL)) return admin(args, env);
  // A command that makes the first environment may make the database too; another one would find nothing in a new one.
  const isFirst = args[0] === 'environment' && args[1] === 'create';
  const requireDatabase = () => {
    if (process.env.DATABASE_URL || isFirst || hasDatabase(dir)) return;
    throw new StartFailure(
      `There is no database in ${dir} yet, and DATABASE_URL is not set: nothing was done. npm start makes one; or set DATABASE_URL and REDIS_URL as for API and workers.`,
    );
  };
  saySubject(dir);
  if (!isReserved(dir)) requireDatabase();
  await reserveServers(dir, () => readState(dir) !== undefined);
  const running = readState(dir);
  if (!running) requireDatabase();
  if (running) {
    const { DATABASE_URL, MIGRATE_DATABASE_URL } = process.env;
    const named = DATABASE_URL ? { DATABASE_URL, MIGRATE_DATABASE_URL: MIGRATE_DATABASE_URL || DATABASE_URL } : {};
    return admin(args, { PUBLIC_URL: running.baseUrl, ...env, ...running.env, ...named });
  }
  const servers = await openServers({ dir, durable: true });
  const all = { ...env, ...servers.env };
  if (servers.postgres) await quietStep('The migration', 'migrations/run.ts', all);
  const code = await admin(args, all);
  await stopAll();
  return code;
}

/**
 * Prints the demo's live stream.
 * @param {string[]} args
 * @returns {Promise<number>}
 */
export async function watchCommand(args) {
  await install({ dev: false });
  const dir = dataDir();
  const [running, access] = [readState(dir), readAccess(dir)];
  const isGiven = args.some((arg) => arg === '--url' || arg.startsWith('--url='));
  const local = running && access && !isGiven ? ['--url', localBaseUrl(access, running.baseUrl)] : [];
  return show(
    'watch',
    await program('shared/tools/cli/watch.ts', [...args, ...local]),
    { ...process.env, DATA_DIR: dir },
    { foreground: true },
  );
}

/**
 * Takes the sample app of this checkout's `npm start` offline or online.
 * @param {'offline' | 'online'} wanted
 * @returns {Promise<number>}
 */
export async function appCommand(wanted) {
  await switchSampleApp(dataDir(), wanted);
  say(
    wanted === 'offline'
      ? 'The sample app is offline: actions queue, its own records can’t be read. npm run app:online brings it back.'
      : 'The sample app is online.',
  );
  return 0;
}

/**
 * Runs benchmarks, chaos tests or a soak on durable servers, as numbers without fsync have no meaning.
 * @param {'bench' | 'chaos' | 'soak'} name
 * @param {string[]} args
 * @returns {Promise<number>}
 */
export async function measureCommand(name, args) {
  await install({ dev: true });
  // Beside the data and not in the system's folder for temporary files, which may be memory.
  const dir = await throwAwayDir(dataDir(), name);
  const servers = await openServers({ dir, durable: true });
  const code = await show(
    name,
    await program(`test/${name}/main.ts`, args),
    { ...process.env, ...servers.env, DATA_DIR: dir },
    { foreground: false },
  );
  await stopAll();
  return code;
}

/**
 * Says that an administration command works on the database of the data folder, where the environment names none. Throws StartFailure
 * where it speaks of another installation.
 * @param {string} dir DATA_DIR
 */
const saySubject = (dir) => {
  const { DATABASE_URL, MIGRATE_DATABASE_URL, DATABASE_READ_URL, NODE_ENV } = process.env;
  if (DATABASE_URL) return;
  const others = [
    ...(MIGRATE_DATABASE_URL ? ['MIGRATE_DATABASE_URL'] : []),
    ...(DATABASE_READ_URL ? ['DATABASE_READ_URL'] : []),
    ...(NODE_ENV === 'production' ? ['NODE_ENV=production'] : []),
  ];
  if (others.length > 0)
    throw new StartFailure(
      `DATABASE_URL is not set, with ${others.join(' and ')}: nothing was done, as the database of ${dir} is hardly the one that is meant. ` +
        'Set DATABASE_URL as for API and workers, and MIGRATE_DATABASE_URL; or unset them all for the database of that folder.',
    );
  say(`working on the database of ${dir}, as DATABASE_URL is not set`);
};

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
const admin = async (args, env) =>
  show('admin', await program('shared/tools/cli/admin.ts', args), env, { foreground: true });
