// The settings that our PostgreSQL servers run with, and why; used by postgres.mjs.
import { totalmem } from 'node:os';

const MB = 1024 * 1024;

/**
 * @param {object} options
 * @param {number} options.port
 * @param {boolean} options.durable false for servers that are thrown away: no waiting for the disk
 * @param {boolean} options.lz4 whether this build can compress its log with lz4
 * @param {Record<string, string>} options.settings win over ours
 * @returns {string[]} arguments for `postgres`
 */
export function postgresFlags({ port, durable, lz4, settings }) {
  const all = { ...common(port), ...(durable ? lasting(lz4) : throwAway), ...settings };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** @param {number} port */
const common = (port) => ({
  port: String(port),
  listen_addresses: '127.0.0.1',
  // No socket file: its path may be longer than 107 bytes, and its folder not writable.
  unix_socket_directories: '',
  // One API, two workers and tools use some 60; tests open one pool for each database.
  max_connections: '200',
  // Short statements only: compiling one costs more than running it.
  jit: 'off',
});

/** @param {boolean} lz4 */
const lasting = (lz4) => ({
  shared_buffers: `${Math.round(sharedBuffers() / MB)}MB`,
  max_wal_size: '4GB',
  wal_compression: lz4 ? 'lz4' : 'on',
  checkpoint_completion_target: '0.9',
  // On solid-state disks a random page costs about as much as the next one.
  random_page_cost: '1.1',
});

const throwAway = {
  // In its own folder, so that a server that was killed leaves nothing elsewhere.
  dynamic_shared_memory_type: 'mmap',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  random_page_cost: '1.1',
};

/** Returns an eighth of the memory, between 256 MB and 1 GB: more leaves too little to the other processes of one machine. */
function sharedBuffers() {
  return Math.min(Math.max(totalmem() / 8, 256 * MB), 1024 * MB);
}
