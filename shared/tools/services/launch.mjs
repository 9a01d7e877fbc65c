// The command behind `npm start`, `npm test` and the tools; works on a fresh clone, so it imports only node's own modules.
import { readSecretFiles } from '../../platform/config/secretFiles.mjs';
import { isCommand, readOptions } from '../cli/options.mjs';
import { say, sayToStderr, StartFailure, toText } from './say.mjs';
import { startCommand } from './startCommand.mjs';
import { stopAll, stopOnSignals, stoppedBySignal } from './stopping.mjs';
import { adminCommand, appCommand, measureCommand, watchCommand } from './toolCommands.mjs';

/** Loads the command of the tests only when it is called, as the image and a checkout for `npm start` alone are without it. */
const tests = () => import('../../../test/services/testCommand.mjs');

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const commands = {
  start: startCommand,
  test: async (args) => (await tests()).testCommand(args),
  'test:quick': async () => (await tests()).quickCommand(),
  admin: adminCommand,
  watch: watchCommand,
  'app:offline': () => appCommand('offline'),
  'app:online': () => appCommand('online'),
  bench: (args) => measureCommand('bench', args),
  chaos: (args) => measureCommand('chaos', args),
  soak: (args) => measureCommand('soak', args),
};

async function main() {
  const [name = '', ...args] = process.argv.slice(2);
  const command = commands[name];
  if (!command)
    throw new StartFailure(
      `Usage: node shared/tools/services/launch.mjs ${Object.keys(commands).join('|')} [arguments]`,
    );
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new StartFailure(`Node.js 20.19 or newer is needed; this is ${process.versions.node}.`);
  // `admin` reads its own, which depend on what is administered.
  if (isCommand(name)) readOptions(name, args);
  // The others print their result to standard output, so the launcher's own lines go to standard error.
  if (name !== 'start' && !name.startsWith('test')) sayToStderr();
  try {
    readSecretFiles(process.env);
  } catch (error) {
    throw new StartFailure(toText(error));
  }
  // Ctrl-C is the usual way to stop `start` and `watch`, so their exit code is 0.
  stopOnSignals((signal) => (name === 'start' || name === 'watch' ? 0 : signal === 'SIGINT' ? 130 : 143));
  return command(args);
}

try {
  const code = await main();
  await stopAll();
  process.exit(stoppedBySignal() ?? code);
} catch (error) {
  // Work that a stop interrupts fails; these errors are not printed.
  const told = error instanceof StartFailure ? error.message : error instanceof Error ? error.stack : String(error);
  if (stoppedBySignal() === undefined) say(told ?? '');
  await stopAll();
  process.exit(stoppedBySignal() ?? 1);
}
