// Distinguishes a process from a later one with the same number; used by locks and by the state file.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Returns when a process began, as an opaque text; undefined if there is none. Numbers are reused, quickly so in
 * containers, where after a restart the same small numbers belong to other programs.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function identity(pid) {
  if (process.platform !== 'linux') return ps(pid, 'lstart=');
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain spaces; the 3rd field, the state, follows it, the 22nd is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

/**
 * @param {number} pid
 * @returns {string} the command with its arguments, or '' when there is no such process
 */
export function commandLine(pid) {
  if (process.platform !== 'linux') return ps(pid, 'command=') ?? '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/**
 * @param {number} pid
 * @param {string} column
 */
function ps(pid, column) {
  const answer = spawnSync('ps', ['-o', column, '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  return answer.status === 0 ? answer.stdout.trim() || undefined : undefined;
}
