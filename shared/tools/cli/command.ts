/** The type of the admin tool's commands, and a strict parser of their words: no misspelt option is ignored. */
import { parseArgs } from 'node:util';
import type { CommandContext } from './context.ts';
import { UsageError } from './failures.ts';

interface Option {
  /** `flag`: without a value; `list`: may be given several times. */
  readonly kind: 'text' | 'list' | 'flag';
  /** How its value is shown: `<role>`. */
  readonly value?: string;
  readonly required?: boolean;
}

export interface CommandResult {
  /** Printed with `--json`. */
  readonly json: object;
  /** Printed without `--json`. */
  readonly lines: readonly string[];
}

export interface Command {
  readonly thing: string;
  /** Empty: what the thing itself does. */
  readonly verb: string;
  readonly about: string;
  /** The word after the verb: `<name>`, `[name]`, or null. */
  readonly argument: string | null;
  readonly options: Readonly<Record<string, Option>>;
  readonly run: (context: CommandContext, given: CommandArguments) => Promise<CommandResult>;
}

/** The arguments by name; only those that the command declares. */
export interface CommandArguments {
  readonly argument: string;
  readonly json: boolean;
  readonly text: (name: string) => string | undefined;
  /** Milliseconds; `undefined` when not given. */
  readonly ms: (name: string) => number | undefined;
  readonly list: (name: string) => string[] | undefined;
  readonly flag: (name: string) => boolean;
}

const commonOptions: Readonly<Record<string, Option>> = { json: { kind: 'flag' }, help: { kind: 'flag' } };

const formatOption = ([name, { kind, value = '', required = false }]: [string, Option]): string => {
  const text = kind === 'flag' ? `--${name}` : `--${name} ${value}`;
  return `${required ? text : `[${text}]`}${kind === 'list' ? '…' : ''}`;
};

export const commandUsage = ({ thing, verb, argument, options }: Command): string =>
  [thing, verb, argument ?? '', ...Object.entries(options).map(formatOption)].filter((word) => word !== '').join(' ');

const usageError = (command: Command, sentence: string): UsageError =>
  new UsageError(`${sentence}\nUsage: npm run admin -- ${commandUsage(command)}`);

interface Tokens {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly positionals: string[];
}

const parseTokens = (command: Command, args: readonly string[]): Tokens => {
  const all = { ...command.options, ...commonOptions };
  const options = Object.fromEntries(
    Object.entries(all).map(([name, { kind }]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const), multiple: kind === 'list' },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(all, token.name) ? all[token.name] : undefined;
    if (option === undefined) {
      throw usageError(
        command,
        `There is no option ${token.rawName} here; ${command.thing} ${command.verb} takes ${Object.keys(all)
          .map((name) => `--${name}`)
          .join(', ')}.`,
      );
    }
    if (option.kind !== 'list' && seen.has(token.name))
      throw usageError(command, `${token.rawName} is given twice; give it once.`);
    seen.add(token.name);
    if (option.kind === 'flag' && token.value !== undefined)
      throw usageError(command, `${token.rawName} takes no value.`);
    // A word that looks like an option is one: it is not taken for the value that another option lacks.
    const forgotten =
      token.value === undefined || token.value === '' || (token.inlineValue === false && token.value.startsWith('--'));
    if (option.kind !== 'flag' && forgotten)
      throw usageError(command, `${token.rawName} needs a value: ${token.rawName} ${option.value ?? ''}`);
  }
  const { values, positionals } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true });
  return { values, positionals };
};

/** Parses the words after thing and verb. Throws UsageError. */
export const parseCommandArguments = (
  command: Command,
  args: readonly string[],
): CommandArguments & { readonly help: boolean } => {
  const { values, positionals } = parseTokens(command, args);
  const help = values['help'] === true;
  const [argument = '', ...further] = positionals;
  if (!help) {
    const [extra] = command.argument === null ? positionals : further;
    if (extra !== undefined)
      throw usageError(command, `${JSON.stringify(extra)} is one word too many; quote what has spaces in it.`);
    if (argument === '' && command.argument?.startsWith('<') === true)
      throw usageError(command, `${command.argument} is missing.`);
    const missing = Object.entries(command.options).find(
      ([name, { required = false }]) => required && values[name] === undefined,
    );
    if (missing !== undefined) throw usageError(command, `--${missing[0]} is missing.`);
  }
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    argument,
    help,
    json: values['json'] === true,
    text,
    ms: (name) => {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^\d{1,15}$/.test(value))
        throw usageError(command, `--${name} must be a whole number of milliseconds, not ${JSON.stringify(value)}.`);
      return Number(value);
    },
    list: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
    },
    flag: (name) => values[name] === true,
  };
};
