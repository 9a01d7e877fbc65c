#!/usr/bin/env node
/** The command of the package, `console-sdk`: checks what an app declares, and writes a new app. */
import { parseArgs } from 'node:util';
import { manifestProblems, manifestWarnings } from '../testing/validators.ts';
import { errorText } from '../texts.ts';
import { compareWithService, type Changes } from './compare.ts';
import { loadManifest, type Declared } from './loadManifest.ts';
import { writeStarter } from './starter.ts';

/** What the lists of a manifest hold, and the member that names it. */
const things: Readonly<Record<string, readonly [string, string]>> = {
  resources: ['resource', 'name'],
  inboxes: ['inbox', 'name'],
  views: ['view', 'name'],
  actions: ['action', 'name'],
  pages: ['page', 'name'],
  flags: ['flag', 'key'],
};

const memberOf = (value: unknown, member: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === member)?.[1]
    : undefined;

/** Returns a line such as `action refund (actions.3.when.field): names …`; the path alone where nothing has a name there. */
const problemLine = (
  manifest: unknown,
  { path, message }: { readonly path: string; readonly message: string },
): string => {
  const [list = '', place = ''] = path.split('.');
  const [kind, member] = things[list] ?? [];
  const name = member === undefined ? undefined : memberOf(memberOf(memberOf(manifest, list), place), member);
  return kind === undefined || typeof name !== 'string' || name === ''
    ? `${path}: ${message}`
    : `${kind} ${name} (${path}): ${message}`;
};

const usage = `Usage: npx console-sdk check <file> [options]
       npx console-sdk new <folder>

check: says what the service would refuse of a manifest (.json), or of the app that a module exports, and warns of names in
it that lead nowhere. With an address it also asks the service what registering it would change.
  --strict            ends with 1 when there are warnings
  --url <base URL>    of an environment: https://<host>/api/env/<environment>; BASE_URL when absent
  --key <app key>     APP_KEY when absent
  --offline           asks no service, whatever the environment says
  --fail-on <kinds>   ends with 1 when there are such changes, comma-separated:
                      added, changed, retired, loosened, breaking

new: writes an app with a test into a folder, which may not exist yet.

Exit codes: 0, or 1 when the check fails, or 2 when it could not be made.`;

const changeKinds = [
  'added',
  'changed',
  'retired',
  'loosened',
  'breaking',
] as const satisfies readonly (keyof Changes)[];

/** Something that ends the command with exit code 2. */
class Misused extends Error {}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const kindsToFailOn = (given: string | undefined): readonly (keyof Changes)[] => {
  const names = given?.split(',') ?? [];
  const unknown = names.find((name) => !(changeKinds as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Misused(`--fail-on knows no ${unknown}; there are ${changeKinds.join(', ')}.`);
  return changeKinds.filter((kind) => names.includes(kind));
};

/** Prints the changes of each kind, and the warnings. */
const sayChanges = (environment: string, changes: Changes, warnings: readonly string[]): void => {
  const lines = changeKinds.flatMap((kind) => (changes[kind] ?? []).map((name) => `  ${kind.padEnd(9)} ${name}`));
  say(lines.length === 0 ? `Registering it in ${environment} changes nothing.` : `Registering it in ${environment}:`);
  for (const line of [...lines, ...warnings.map((warning) => `  warning   ${warning}`)]) say(line);
};

const counted = (count: number, thing: string): string => `${String(count)} ${thing}${count === 1 ? '' : 's'}`;

/** Prints what is wrong with a manifest by itself. Returns whether the check fails for it. */
const sayProblems = (file: string, { manifest, problems: ofHandlers }: Declared, strict: boolean): boolean => {
  const problems = [...manifestProblems(manifest), ...ofHandlers];
  const refused = new Set(problems.map(({ path }) => path));
  const warnings = manifestWarnings(manifest).filter(({ path }) => !refused.has(path));
  for (const problem of problems) say(`  ${problemLine(manifest, problem)}`);
  for (const warning of warnings) say(`  warning: ${problemLine(manifest, warning)}`);
  const verdict = problems.length === 0 ? 'valid' : counted(problems.length, 'problem');
  say(`${file}: ${verdict}${warnings.length === 0 ? '' : `, ${counted(warnings.length, 'warning')}`}`);
  return problems.length > 0 || (strict && warnings.length > 0);
};

interface CheckOptions {
  readonly url: string;
  readonly key: string;
  readonly failOn: string | undefined;
  /** Whether warnings fail the check. */
  readonly strict: boolean;
}

const check = async (file: string, { url, key, failOn, strict }: CheckOptions): Promise<number> => {
  const failing = kindsToFailOn(failOn);
  const declared = await loadManifest(file);
  const { manifest } = declared;
  if (sayProblems(file, declared, strict)) return 1;
  if (url === '') {
    if (failing.length > 0) throw new Misused('--fail-on needs the address and the key of an environment.');
    return 0;
  }
  if (key === '') throw new Misused('The key is missing: --key, or APP_KEY.');
  const compared = await compareWithService(url, key, manifest);
  if ('problems' in compared) {
    for (const problem of compared.problems) say(`  ${problemLine(manifest, problem)}`);
    say(`The service would refuse it: ${compared.message}`);
    return 1;
  }
  // An earlier service does not compare what waits.
  const unknown = failing.find((kind) => compared.changes[kind] === undefined);
  if (unknown !== undefined) throw new Misused(`The service is older than this SDK, and knows no ${unknown}.`);
  sayChanges(compared.environment, compared.changes, compared.warnings);
  return failing.some((kind) => compared.changes[kind]?.length !== 0) ? 1 : 0;
};

const run = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      key: { type: 'string' },
      offline: { type: 'boolean' },
      'fail-on': { type: 'string' },
      strict: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [verb, target, ...more] = positionals;
  if (values.help === true) {
    say(usage);
    return 0;
  }
  if (target === undefined || more.length > 0) throw new Misused(usage);
  if (verb === 'new') {
    for (const line of await writeStarter(target)) say(line);
    return 0;
  }
  if (verb !== 'check') throw new Misused(usage);
  const { BASE_URL = '', APP_KEY = '' } = process.env;
  const url = values.offline === true ? '' : (values.url ?? BASE_URL);
  return check(target, {
    url,
    key: values.key ?? APP_KEY,
    failOn: values['fail-on'],
    strict: values.strict === true,
  });
};

/** Ends the process once everything is written, although a module that was checked may keep it alive. */
const end = (code: number): void => {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
};

run().then(end, (error: unknown) => {
  process.stderr.write(`${errorText(error)}\n`);
  end(2);
});
