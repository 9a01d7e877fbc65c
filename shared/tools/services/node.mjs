// Runs the project's programs in processes of their own; used by the commands of this folder.
import { closeSync, openSync } from 'node:fs';
import { program } from './compile.mjs';
import { root } from './paths.mjs';
import { dieWithParent, runProcess, start } from './processes.mjs';
import { StartFailure } from './say.mjs';
import { onStop } from './stopping.mjs';

/**
 * Runs a step of the start, showing what it prints.
 * @param {string} what for the message when it fails
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} [args]
 * @returns {Promise<void>}
 */
export async function step(what, file, env, args = []) {
  const code = await show(what, [...(await program(file)), ...args], env, { foreground: false });
  if (code !== 0) throw new StartFailure(`${what} failed (${file} ended with ${code}).`);
}

/**
 * Runs a step whose output matters only when it fails.
 * @param {string} what
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} [args]
 * @returns {Promise<void>}
 */
export async function quietStep(what, file, env, args = []) {
  const done = await runProcess([...(await program(file)), ...args], { cwd: root, env });
  if (done.code !== 0) throw new StartFailure(`${what} failed:\n${done.output}`);
}

/**
 * Runs a command and returns its exit code; a signal that ended it counts as failure.
 * @param {string} name
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @param {{ foreground: boolean, timeoutMs?: number, output?: string | undefined }} options foreground: it also gets our standard input; output: the file for both outputs, ours when absent
 * @returns {Promise<number>}
 */
export async function show(name, command, env, { foreground, timeoutMs, output }) {
  const file = output === undefined ? undefined : openSync(output, 'w');
  const child = await start({
    name,
    command: dieWithParent(command, 'SIGTERM'),
    cwd: root,
    env,
    foreground,
    output: file ?? 'inherit',
  });
  if (file !== undefined) closeSync(file);
  const end = (graceMs = 5_000) => child.stop({ graceMs, group: !foreground });
  await onStop(() => end());
  let timedOut = false;
  const clock = timeoutMs === undefined ? undefined : setTimeout(() => ((timedOut = true), void end()), timeoutMs);
  const { code } = await child.exited;
  clearTimeout(clock);
  // Ends the processes that the command started and did not end.
  await end();
  if (timedOut)
    throw new StartFailure(`${name} did not end within ${(timeoutMs ?? 0) / 60_000} minutes and was stopped.`);
  return code ?? 1;
}
