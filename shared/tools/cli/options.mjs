// The options and usage of the commands in package.json, and the one function that reads them. Used by the launcher, which
// runs before anything is installed, and by the programs themselves; `admin` alone has a parser of its own (command.ts).
import { parseArgs } from 'node:util';

/** @typedef {'start' | 'test' | 'test:quick' | 'watch' | 'app:offline' | 'app:online' | 'bench' | 'chaos' | 'soak' | 'api' | 'workers' | 'migrate' | 'doctor' | 'build'} CommandName */
/** @typedef {{ usage: string, options: NonNullable<import('node:util').ParseArgsConfig['options']>, takesWords: boolean }} Command */

const text = /** @type {const} */ ({ type: 'string' });
const flag = /** @type {const} */ ({ type: 'boolean' });
const none = { options: {}, takesWords: false };

/** @type {Record<CommandName, Command>} */
const commands = {
  start: {
    ...none,
    usage:
      'Usage: npm start\nInstalls what is missing, starts everything with a demo environment and prints what to try; Ctrl-C stops it.',
  },
  test: {
    usage: `Usage: npm test [-- options] [files and folders]
Lint, types and all tests, on servers of their own; of files and folders the tests alone. Options are mocha's:
  -g, --grep TEXT      only tests whose title matches; -f, --fgrep: contains TEXT; -i, --invert: the others
  -b, --bail           stop after the first failure
  -t, --timeout MS     of a test; -s, --slow MS: from which on one counts as slow; --retries N: of a test that failed
  -p, --parallel       files at once, -j, --jobs N of them
  -R, --reporter NAME  -r, --require MODULE  --import MODULE  --forbid-only  --full-trace  --dry-run`,
    options: {
      grep: { ...text, short: 'g' },
      fgrep: { ...text, short: 'f' },
      invert: { ...flag, short: 'i' },
      bail: { ...flag, short: 'b' },
      timeout: { ...text, short: 't' },
      slow: { ...text, short: 's' },
      retries: text,
      parallel: { ...flag, short: 'p' },
      jobs: { ...text, short: 'j' },
      reporter: { ...text, short: 'R' },
      require: { ...text, short: 'r' },
      import: text,
      'forbid-only': flag,
      'full-trace': flag,
      'dry-run': flag,
    },
    takesWords: true,
  },
  'test:quick': {
    ...none,
    usage:
      'Usage: npm run test:quick\nLint, types and the tests that need no servers, in a minute or so; npm test runs all of them.',
  },
  watch: {
    usage: `Usage: npm run watch -- [--types item,timeline,…] [--inboxes support,…] [--url <base URL>] [--token <token>] [--json]
  --types    only messages of these types
  --inboxes  only of these inboxes
  --url      an environment's address; the demo's when absent
  --token    an agent's token; the demo's operator when absent
  --json     the messages as they come`,
    options: { types: text, inboxes: text, url: text, token: text, json: flag },
    takesWords: false,
  },
  'app:offline': {
    ...none,
    usage:
      'Usage: npm run app:offline\nTakes the sample app of the running npm start offline; npm run app:online brings it back.',
  },
  'app:online': {
    ...none,
    usage: 'Usage: npm run app:online\nBrings the sample app of the running npm start back online.',
  },
  bench: {
    usage: `Usage: npm run bench [-- options]
  --only read,change   only these suites
  --parts scrolling    only these of the suite console: firstPaint, scrolling, changes, palette, heap
  --items 1000000      items in the database
  --rounds 3           measure everything so many times, in turn
  --seconds 4          of each measurement
  --quick              two minutes: 100,000 items, two rounds of 1.5 s
  --json FILE          also write the figures there
  --database NAME      keep the database under this name, and use it again if it is there`,
    options: {
      only: text,
      parts: text,
      items: text,
      rounds: text,
      seconds: text,
      quick: flag,
      json: text,
      database: text,
    },
    takesWords: false,
  },
  chaos: {
    usage: `Usage: npm run chaos [-- options]
  --only 1,7,failover  only these invariants, by number or name
  --seed 42            of everything that is random; another one each time when absent
  --scale short|long   minutes or hours (long when absent)`,
    options: { only: text, seed: text, scale: text },
    takesWords: false,
  },
  soak: {
    usage: `Usage: npm run soak [-- options]
  --minutes 120   how long; bulks, actions, ramps and restarts are in proportion to it
  --changes 200   a second
  --sockets 500   of the live stream
  --seed 42       of everything that is random; another one each time when absent`,
    options: { minutes: text, changes: text, sockets: text, seed: text },
    takesWords: false,
  },
  api: {
    ...none,
    usage:
      'Usage: npm run api\nStarts an API process, after npm run build; configured by the environment (docs/operators.md).',
  },
  workers: {
    ...none,
    usage:
      'Usage: npm run workers\nStarts a worker process, after npm run build; configured by the environment (docs/operators.md).',
  },
  migrate: {
    ...none,
    usage:
      'Usage: npm run migrate\nBrings the database of MIGRATE_DATABASE_URL to the schema of this version, after npm run build.',
  },
  doctor: {
    usage: `Usage: npm run doctor [-- options]
Checks the set-up that the environment names, after npm run build, and says what to change; ends with 1 when something fails.
  --apis 2      API processes that are to run
  --workers 2   worker processes that are to run
  --json        the findings as JSON`,
    options: { apis: text, workers: text, json: flag },
    takesWords: false,
  },
  build: {
    ...none,
    usage: 'Usage: npm run build\nCompiles the programs into dist/ and packs the SDK as dist/console-api-sdk.tgz.',
  },
};

/**
 * Returns whether this file has the options of a command.
 * @param {string} name
 * @returns {name is CommandName}
 */
export const isCommand = (name) => Object.hasOwn(commands, name);

/**
 * Ends the process with exit code 2 after printing what is wrong with a command's options, and its usage.
 * @param {CommandName} name
 * @param {string} sentence
 * @returns {never}
 */
export function misused(name, sentence) {
  process.stderr.write(`${sentence}\n${commands[name].usage}\n`);
  process.exit(2);
}

/**
 * The arguments of a command: the text of an option, whether a flag is there, and the words that are no options.
 * @typedef {object} Given
 * @property {(option: string) => string | undefined} text
 * @property {(option: string) => boolean} has
 * @property {string[]} words
 * @property {Set<number>} wordsAt the places of the words among the arguments
 */

/**
 * Returns the arguments of a command. `--help` prints its usage and ends the process with exit code 0; an option that the
 * command doesn't have ends it with 2.
 * @param {CommandName} name
 * @param {string[]} [args]
 * @returns {Given}
 */
export function readOptions(name, args = process.argv.slice(2)) {
  const { usage, options, takesWords } = commands[name];
  const { values, positionals, tokens } = parsed(name, {
    args,
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    allowPositionals: takesWords,
    tokens: true,
  });
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  return {
    text: (option) => (typeof values[option] === 'string' ? values[option] : undefined),
    has: (option) => values[option] !== undefined,
    words: positionals,
    wordsAt: new Set(tokens.flatMap((token) => (token.kind === 'positional' ? [token.index] : []))),
  };
}

/**
 * Returns the result of node's parser; its error ends the process.
 * @param {CommandName} name
 * @param {import('node:util').ParseArgsConfig & { tokens: true }} config
 * @returns {{ values: Record<string, string | boolean | (string | boolean)[] | undefined>, positionals: string[], tokens: { kind: string, index: number }[] }}
 */
function parsed(name, config) {
  try {
    return parseArgs(config);
  } catch (error) {
    // Only the first sentence: the others explain words in general, not this command.
    return misused(name, `${(error instanceof Error ? error.message : '').split('. ')[0] ?? ''}.`);
  }
}
