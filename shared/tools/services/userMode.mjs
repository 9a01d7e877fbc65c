// Finds a way to run PostgreSQL, which refuses to run as root, as another account, and stores the choice beside the data,
// because the ways give the files different owners and must not be mixed.
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from './processes.mjs';
import { StartFailure } from './say.mjs';

/**
 * @typedef {object} UserMode
 * @property {string} name 'self', 'userns' or an account's name
 * @property {string[]} prefix what the command is put behind
 * @property {{ uid: number, gid: number } | undefined} user the account to change to
 * @property {(path: string) => void} own hands a folder or file to that account
 */

const userns = ['unshare', '--user', '--map-user=65534', '--map-group=65534'];

/**
 * @param {string} dir the server's folder; the choice is stored in its file `mode`
 * @param {string} binary tried in each way until one works
 * @returns {Promise<UserMode>}
 */
export async function userMode(dir, binary) {
  if (process.getuid?.() !== 0) return mode('self', [], undefined);
  const memo = join(dir, 'mode');
  const remembered = existsSync(memo) ? readFileSync(memo, 'utf8').trim() : undefined;
  for (const candidate of candidates()) {
    if (remembered !== undefined && candidate.name !== remembered) continue;
    // The folder itself must be reachable too: a checkout in root's home is closed to every other account.
    const tried = await runProcess([...candidate.prefix, 'sh', '-c', '"$0" --version && cd "$1"', binary, dir], {
      user: candidate.user,
    });
    if (tried.code !== 0) continue;
    if (remembered === undefined) writeFileSync(memo, candidate.name);
    return candidate;
  }
  throw new StartFailure(
    `PostgreSQL does not run as root, and no other account can reach ${dir}. Clone outside of root's home, run as another user, or set DATABASE_URL.`,
  );
}

/** Returns the ways to try. A user namespace comes first: it works below root's home, and the files stay root's. Containers may forbid it. */
function candidates() {
  const found = [mode('userns', userns, undefined)];
  for (const name of ['postgres', 'nobody']) {
    const user = account(name);
    if (user) found.push(mode(name, [], user));
  }
  return found;
}

/**
 * @param {string} name
 * @param {string[]} prefix
 * @param {UserMode['user']} user
 * @returns {UserMode}
 */
function mode(name, prefix, user) {
  return { name, prefix, user, own: (path) => user && chownSync(path, user.uid, user.gid) };
}

/** @param {string} name */
function account(name) {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}
