/** `npm run doctor`: checks the set-up that the environment names before it serves, and says what to change. */
import { readConfigOrExit } from '../../platform/config/config.ts';
import { misused, readOptions } from '../cli/options.mjs';
import { attempt, fail, type Finding } from './finding.ts';
import {
  checkDataDir,
  checkMail,
  checkNode,
  checkOwnOpenFiles,
  checkPoolSizes,
  checkPublicCertificate,
  checkPublicUrl,
} from './machine.ts';
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
/** What a library throws outside of every call, which would end the process before it has printed what it found. */
const strays: Finding[] = [];
process.on('uncaughtException', (error) => {
  strays.push(fail('connections', `a connection failed unexpectedly: ${error.message}`));
});
const [postgres, standbys, redis, certificate, mail, dataDir, openFiles] = await Promise.all([
  attempt('postgres', () => checkPostgres(config, counts)),
  attempt('standby', () => checkStandbys(config, counts.apis)),
  attempt('redis', () => checkRedis(config)),
  checkPublicCertificate(config),
  checkMail(config),
  attempt('dataDir', () => checkDataDir(config.dataDir)),
  checkOwnOpenFiles(),
]);
const findings: readonly Finding[] = [
  checkNode(process.versions.node),
  ...openFiles,
  checkPoolSizes(config),
  ...postgres,
  ...standbys,
  ...redis,
  ...checkPublicUrl(config),
  ...certificate,
  ...mail,
  ...dataDir,
  ...strays,
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
