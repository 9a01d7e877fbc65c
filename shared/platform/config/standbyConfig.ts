/** The variables of standbys that serve reads. Read by config.ts. */
import { integer, url, type Read } from './configValues.ts';

export interface StandbyConfig {
  /** Each is one server. */
  readonly urls: readonly string[];
  /** ms by which a standby may be behind the primary and still serve reads. */
  readonly lagMs: number;
}

/** Every API process asks each of them ten times within `lagMs`. */
const most = 8;

const address = url('postgres:', 'postgresql:');

/** Returns the addresses of a list, each once. */
const addresses = (value: string): readonly string[] | undefined => {
  const found = value.split(',').map((each) => address(each.trim()));
  const valid = found.filter((each) => each !== undefined);
  return valid.length === found.length && valid.length <= most ? [...new Set(valid)] : undefined;
};

/** Returns which standbys serve reads; null when none is named. */
export const readStandbys = (env: NodeJS.ProcessEnv, read: Read): StandbyConfig | null => {
  const urls = read<readonly string[] | null>(env, {
    name: 'DATABASE_READ_URL',
    takes: 'up to eight addresses with commas between them, a comma in a password as %2C',
    example: 'postgres://console_app:secret@10.0.0.22:5432/console',
    fallback: () => null,
    parse: addresses,
  });
  const lagMs = read(env, { name: 'READ_LAG_MS', example: '1000', fallback: () => 1_000, parse: integer(100, 60_000) });
  return urls === null ? null : { urls, lagMs };
};
