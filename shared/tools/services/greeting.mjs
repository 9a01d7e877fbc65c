// Prints what `npm start` shows once everything runs: addresses, a token, a first call; used by startCommand.mjs.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './paths.mjs';
import { unitName } from './sampleApp.mjs';
import { say, took } from './say.mjs';

/** @typedef {{ baseUrl: string, agents: Record<string, string>, people: { email: string, password: string }[], appKey: string }} Access */

/**
 * @param {string} dir DATA_DIR
 * @returns {Access | undefined} the credentials that the demo wrote, if there are any
 */
export function readAccess(dir) {
  const file = join(dir, 'access.json');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that the demo wrote itself
  return existsSync(file) ? /** @type {Access} */ (JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/**
 * Returns the address of the demo's environment on this machine, whatever PUBLIC_URL says.
 * @param {Access} access
 * @param {string} baseUrl of the host, on this machine
 * @returns {string}
 */
export const localBaseUrl = (access, baseUrl) => `${baseUrl}/api/env/${access.baseUrl.split('/').at(-1)}`;

/**
 * @param {object} running
 * @param {Map<string, { pid: number }>} running.units
 * @param {string} running.baseUrl of the host
 * @param {Access | undefined} running.access
 * @param {string} running.dir DATA_DIR
 * @param {number} running.since when the start began
 * @param {boolean} running.keys whether this terminal takes `o`
 */
export function greet({ units, baseUrl, access, dir, since, keys }) {
  const shown = (/** @type {string} */ name) => relative(root, join(dir, name));
  const person = access?.people[0];
  const workers = [...units].filter(([name]) => name.startsWith('worker')).map(([, unit]) => `pid ${unit.pid}`);
  say('');
  say(`Ready after ${took(since)}.`);
  if (access && person) {
    say(`console:  ${baseUrl}/env/${access.baseUrl.split('/').at(-1)}/`);
    say(`sign-in:  ${person.email}   ${person.password}   (all people: ${shown('access.json')})`);
  }
  const api = access ? localBaseUrl(access, baseUrl) : baseUrl;
  say(`API:      ${api}   (pid ${units.get('API')?.pid})`);
  if (access && access.baseUrl !== api) say(`public:   ${access.baseUrl}   (of PUBLIC_URL)`);
  say(`workers:  ${workers.join(', ')}`);
  const app = units.get(unitName);
  if (app) say(`app:      the sample customer's app (pid ${app.pid}); what it did: ${shown('sample-app/log.jsonl')}`);
  say(`logs:     ${shown('logs')}`);
  if (access) {
    const token = access.agents.operator;
    say(`token:    ${token}   (agent "operator"; all of them: ${shown('access.json')})`);
    say('');
    say('Try:');
    say(`  curl -s -H 'authorization: Bearer ${token}' '${api}/items?limit=3'`);
    say('  npm run watch        what happens, live (in another terminal)');
    if (app)
      say(
        `  npm run app:offline  takes the sample app away: actions queue; npm run app:online brings it back${keys ? ' (here: o and Enter)' : ''}`,
      );
  }
  say('');
  say('Ctrl-C stops everything.');
}
