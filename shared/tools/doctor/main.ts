/** `npm run doctor`: checks the set-up that the environment names before it serves, and says what to change. */
import { readConfigOrExit } from '../../platform/core/config.ts';
import { misused, readOptions } from '../cli/options.mjs';
import type { Finding } from './finding.ts';
import { checkDataDir, checkNode, checkPublicUrl } from './machine.ts';
import { checkPostgres } from './postgres.ts';
import { checkRedis } from './redis.ts';
import { checkStandbys } from './standbys.ts';

const given = readOptions('doctor');

/** Returns a number of processes; two unless it is given. */
const readCount = (option: string): number => {
  const text = given.text(option);
  if (text === undefined) return 2;
  if (!/^\d{1,4}$/.test(text))
    return misused('doctor', `--${option} must be a number of processes, not ${JSON.stringify(text)}.`);
  return Number(text);
};

const counts = { apis: readCount('apis'), workers: readCount('workers') };
const config = readConfigOrExit();
const [postgres, standbys, redis, dataDir] = await Promise.all([
  checkPostgres(config, counts),
  checkStandbys(config, counts.apis),
  checkRedis(config),
  checkDataDir(config.dataDir),
]);
const findings: readonly Finding[] = [
  checkNode(process.versions.node),
  ...postgres,
  ...standbys,
  ...redis,
  ...checkPublicUrl(config),
  dataDir,
];
const countOf = (wanted: Finding['status']): number => findings.filter(({ status }) => status === wanted).length;
const summary = { fail: countOf('fail'), warn: countOf('warn'), ok: countOf('ok') };
const lines = findings.map(({ status, check, text }) => `${status.padEnd(4)}  ${check}: ${text}`);
process.stdout.write(
  given.has('json')
    ? `${JSON.stringify({ ...summary, findings }, undefined, 2)}\n`
    : `${lines.join('\n')}\n${String(summary.fail)} fail, ${String(summary.warn)} warn, ${String(summary.ok)} ok\n`,
);
process.exitCode = summary.fail === 0 ? 0 : 1;
