// Reads the end of a log file, for messages about a process that failed.
import { readFileSync } from 'node:fs';

/**
 * @param {string} file
 * @param {number} lines
 * @returns {string}
 */
export function tail(file, lines) {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
