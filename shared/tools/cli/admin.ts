/**
 * `npm run admin -- <thing> <verb> [name] [options]`: environments, roles, agents, people and app keys, for those who can
 * reach the database. Does what the settings endpoints do, by the same functions, and is audited as "admin command".
 */
import { readConfig } from '../../platform/config/config.ts';
import { runAdmin } from './run.ts';

const readInput = async (): Promise<string> => {
  if (process.stdin.isTTY) process.stderr.write('password (shown as you type; end with Enter): ');
  let text = '';
  for await (const piece of process.stdin) {
    text += String(piece);
    if (process.stdin.isTTY && text.includes('\n')) break;
  }
  return text.replace(/\r?\n$/, '');
};

const { exitCode, text } = await runAdmin(process.argv.slice(2), { readConfig, readInput });
(exitCode === 0 ? process.stdout : process.stderr).write(`${text}\n`);
process.exitCode = exitCode;
