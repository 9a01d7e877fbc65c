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
];
