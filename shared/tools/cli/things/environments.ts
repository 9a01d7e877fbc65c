/** The `environment …` commands of the admin tool; used by run.ts. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  createEnvironment,
  environmentInput,
  listEnvironments,
  startEpoch,
} from '../../../accounts/settings/environments/environments.ts';
import { Fault } from '../../../catalogue/errors.ts';
import { declareEnvironment } from '../../../flags/redeclaredFlags.ts';
import { compileCheck } from '../../../platform/json/validate.ts';
import { moveEnvironment, reopenEnvironment } from '../cells/move.ts';
import { type Command } from '../command.ts';
import { environmentUrl, runCommandChange, type CommandContext } from '../context.ts';
import { CommandFailure, UsageError } from '../failures.ts';
import { formatTable, formatTime } from '../print.ts';

const thing = 'environment';
const checkInput = compileCheck(environmentInput);

const readManifest = async (file: string): Promise<unknown> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandFailure(
      `--manifest: ${resolve(file)} can’t be read: ${error instanceof Error ? error.message : ''}`,
    );
  });
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CommandFailure(
      `--manifest: ${resolve(file)} is not JSON: ${error instanceof Error ? error.message : ''}`,
    );
  }
};

/** Returns an error of the manifest with places in the file, not options. */
const toManifestFileError = (error: unknown): unknown => {
  if (!(error instanceof Fault) || error.code !== 'invalid') return error;
  const problems = (error.extra.details ?? []).map(({ path, message }) => `  ${path}: ${message}`);
  return new UsageError(['--manifest: the file is not a manifest.', ...problems].join('\n'));
};

const requireEnvironment = async ({ db }: CommandContext, name: string): Promise<string> => {
  const names = (await listEnvironments(db)).map((environment) => environment.name);
  if (!names.includes(name))
    throw new CommandFailure(
      `There is no environment ${JSON.stringify(name)}; there ${names.length === 0 ? 'is none yet' : `are ${names.join(', ')}`}.`,
    );
  return name;
};

export const environmentCommands: readonly Command[] = [
  {
    thing,
    verb: 'create',
    about: 'makes an environment; with --trust-app what its app declares takes effect without a person’s acceptance',
    argument: '<name>',
    options: { 'trust-app': { kind: 'flag' } },
    run: async (context, { argument, flag }) => {
      const input = checkInput({ name: argument, trustApp: flag('trust-app') });
      const environment = await runCommandChange(context, (tx) => createEnvironment(tx, context.admin, input));
      const baseUrl = environmentUrl(context, environment.name);
      return {
        json: { environment, baseUrl },
        lines: [`The environment ${environment.name} is made.`, `base URL: ${baseUrl}`],
      };
    },
  },
  {
    thing,
    verb: 'list',
    about: 'lists environments',
    argument: null,
    options: {},
    run: async (context) => {
      const environments = (await listEnvironments(context.db)).map((environment) => ({
        ...environment,
        baseUrl: environmentUrl(context, environment.name),
      }));
      const rows = environments.map(({ name, epoch, definedAt, baseUrl }) => [
        name,
        String(epoch),
        formatTime(definedAt, 'nothing yet'),
        baseUrl,
      ]);
      return {
        json: { environments },
        lines: formatTable(['name', 'epoch', 'declared', 'base URL'], rows, 'There is no environment yet.'),
      };
    },
  },
  {
    thing,
    verb: 'define',
    about: 'takes over a manifest: what an app would declare',
    argument: '<name>',
    options: { manifest: { kind: 'text', value: '<file>', required: true } },
    run: async (context, { argument, text }) => {
      const manifest = await readManifest(text('manifest') ?? '');
      const environment = await requireEnvironment(context, argument);
      const startedAt = context.admin.at;
      const { changed, warnings } = await runCommandChange(context, (tx) =>
        declareEnvironment(tx, context.admin, { environment, manifest, startedAt }),
      ).catch((error: unknown) => {
        throw toManifestFileError(error);
      });
      const first = changed
        ? `The environment ${environment} is defined by this manifest.`
        : `The environment ${environment} stays as it is.`;
      return {
        json: { environment, changed, warnings },
        lines: [first, ...warnings.map((warning) => `warning: ${warning}`)],
      };
    },
  },
  {
    thing,
    verb: 'new-epoch',
    about: 'after a restore from a backup: clients of the live stream fetch anew',
    argument: '<name>',
    options: {},
    run: async (context, { argument }) => {
      const name = await requireEnvironment(context, argument);
      const environment = await runCommandChange(context, (tx) => startEpoch(tx, context.admin, name));
      return {
        json: { environment },
        lines: [`The environment ${environment.name} is in epoch ${String(environment.epoch)}.`],
      };
    },
  },
  {
    thing,
    verb: 'move',
    about:
      'closes an environment, moves it to the database of another installation, whose address as the owner comes by standard input, and leaves it closed here',
    argument: '<name>',
    options: { 'to-stdin': { kind: 'flag', required: true } },
    run: async (context, { argument }) => {
      const url = (await context.readInput()).trim();
      if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
        throw new UsageError('Standard input must be the address of a database: postgres://owner:…@host:5432/console');
      const rows = await moveEnvironment(context, argument, url);
      const sum = Object.values(rows).reduce((total, count) => total + count, 0);
      return {
        json: { environment: argument, rows },
        lines: [
          `The environment ${argument} has moved, with ${String(sum)} rows. Lead its requests to the other cell.`,
        ],
      };
    },
  },
  {
    thing,
    verb: 'open',
    about: 'opens an environment whose move was given up before it was there',
    argument: '<name>',
    options: {},
    run: async (context, { argument }) => {
      await reopenEnvironment(context, argument);
      return { json: { environment: argument }, lines: [`The environment ${argument} is open.`] };
    },
  },
];
