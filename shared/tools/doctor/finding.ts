/** The findings of `npm run doctor`, and what several checks share: statements, certificates, clocks. */
import { TLSSocket } from 'node:tls';
import { loopback } from '../../platform/config/configValues.ts';
import type { Db } from '../../platform/db/knex.ts';

/** `warn`: it works, or can't be known, and should be changed or looked at; `fail`: it does not work, or data may be lost or read. */
type Status = 'ok' | 'warn' | 'fail';

export interface Finding {
  /** Name of the check, such as `postgres.version`. */
  readonly check: string;
  readonly status: Status;
  /** The value found and, unless it is right, the remedy; one line. */
  readonly text: string;
}

type Find = (check: string, text: string) => Finding;

const finder =
  (status: Status): Find =>
  (check, text) => ({ check, status, text: text.replaceAll(/\s+/g, ' ') });

export const ok = finder('ok');
export const warn = finder('warn');
export const fail = finder('fail');

type Check = () => Promise<Finding | readonly Finding[]>;

/** Returns the findings of checks, one after the other. */
export const attemptAll = async (checks: Readonly<Record<string, Check>>): Promise<Finding[]> => {
  const found: Finding[] = [];
  for (const [check, run] of Object.entries(checks)) found.push(...(await attempt(check, run)));
  return found;
};

/** Returns the findings of a check; one that throws is a failure with the error's message. */
export const attempt = async (check: string, run: Check): Promise<Finding[]> => {
  try {
    const found = await run();
    return 'check' in found ? [found] : [...found];
  } catch (error) {
    return [fail(check, `could not be checked: ${error instanceof Error ? error.message : String(error)}`)];
  }
};

/** Returns whether a host of an address is this machine itself. */
export const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, '');
  try {
    return bare === 'localhost' || loopback(bare, 0);
  } catch {
    // A name.
    return false;
  }
};

/**
 * Returns whether a host of an address is a name without a dot, mostly that of a container beside this one. Whether what is sent
 * to it leaves the machine can't be known from here.
 */
const isNeighbour = (host: string): boolean => /^[a-z][\w-]*$/i.test(host);

/** Returns the finding about a connection without encryption to a server of these hosts. */
export const checkUnencrypted = (check: string, server: string, hosts: readonly string[], remedy: string): Finding => {
  if (hosts.every(isLoopback)) return ok(check, `${server} is on this machine`);
  const names = hosts.join(', ');
  const text = `the connection to ${names} is not encrypted: ${remedy}`;
  return hosts.every((host) => isLoopback(host) || isNeighbour(host))
    ? warn(check, `${text}, unless ${names} is on a network that does not leave this machine`)
    : fail(check, text);
};

/** ms by which clocks may differ. */
const skewMaxMs = 1_000;

/** Compares the clock of a server with this machine's. `readTime` returns epoch ms; half of the time that it takes is its error. */
export const checkClock = async (check: string, readTime: () => Promise<number>): Promise<Finding> => {
  const askedAt = Date.now();
  const time = await readTime();
  const answeredAt = Date.now();
  const skew = time - (askedAt + answeredAt) / 2;
  const surely = Math.max(0, Math.abs(skew) - (answeredAt - askedAt) / 2);
  if (surely <= skewMaxMs) return ok(check, 'the clocks agree within a second');
  const seconds = (Math.abs(skew) / 1_000).toFixed(1);
  return warn(
    check,
    `its clock is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} this machine’s: set both by NTP: everything goes by PostgreSQL’s clock, and a process whose own is far off does no timed work`,
  );
};

/** Days before its end from which a certificate has to be replaced. */
const daysLeast = 14;

/** Returns the finding about the end of the certificate that a server shows on a connection; none without TLS. */
export const checkCertificate = (check: string, connection: unknown): Finding[] => {
  if (!(connection instanceof TLSSocket)) return [];
  const end = Date.parse(connection.getPeerCertificate().valid_to);
  if (Number.isNaN(end)) return [];
  const days = Math.floor((end - Date.now()) / 86_400_000);
  const until = new Date(end).toISOString().slice(0, 10);
  return [
    days >= daysLeast
      ? ok(check, `its certificate is valid until ${until}`)
      : fail(
          check,
          `its certificate ends on ${until}, in ${String(days)} days: replace it before the service is refused`,
        ),
  ];
};

/** Throws the error as PostgreSQL worded it, without the statement that knex puts before that. */
const throwWithoutStatement = (error: unknown): never => {
  if (!(error instanceof Error)) throw error;
  throw new Error(error.message.slice(error.message.lastIndexOf(' - ') + 1).replace(/^- /, ''), { cause: error });
};

/** Runs a statement and returns its one row. */
export const readRow = async <R>(db: Db, text: string): Promise<R> => {
  const { rows } = await db.raw<{ rows: R[] }>(text).catch(throwWithoutStatement);
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that has one row had none');
  return row;
};
