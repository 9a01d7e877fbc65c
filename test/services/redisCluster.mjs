// Starts a small Redis Cluster of our own: masters without replicas, each with its part of the slots; for tests.
import { join } from 'node:path';
import { askLine, freePort, isFree } from '../../shared/tools/services/ports.mjs';
import { startRedis } from '../../shared/tools/services/redis.mjs';
import { findRedis } from '../../shared/tools/services/redisBinary.mjs';
import { pause, StartFailure } from '../../shared/tools/services/say.mjs';

const slots = 16_384;
/** The distance from a node's port to the port by which the nodes communicate. */
const busOffset = 10_000;

/**
 * @typedef {object} RedisCluster
 * @property {string} url for REDIS_URL
 * @property {import('../../shared/tools/services/redis.mjs').RedisServer[]} nodes
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<boolean>} whether the Redis of this machine can be a node of a cluster */
export async function canCluster() {
  return (await findRedis()).kind === 'redis';
}

/**
 * @param {object} options
 * @param {string} options.dir keeps the data and the logs
 * @param {number} [options.count] 3 when absent
 * @returns {Promise<RedisCluster>}once all nodes have joined and all slots are served
 */
export async function startRedisCluster({ dir, count = 3 }) {
  /** @type {import('../../shared/tools/services/redis.mjs').RedisServer[]} */
  const nodes = [];
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    for (let n = 0; n < count; n += 1) nodes.push(await startNode(join(dir, `node-${n}`)));
    await Promise.all(nodes.map((node, n) => give(node.port, n, count)));
    for (const { port } of nodes.slice(1)) await tell(nodes[0]?.port ?? 0, `CLUSTER MEET 127.0.0.1 ${port}`);
    await Promise.all(nodes.map(({ port }) => whole(port, count)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis-cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, nodes, stop };
}

/** @param {string} dir */
async function startNode(dir) {
  const settings = { 'cluster-enabled': 'yes', 'cluster-announce-ip': '127.0.0.1', 'cluster-node-timeout': '2000' };
  return startRedis({ dir, port: await portWithBus(), appendonly: false, settings });
}

async function portWithBus() {
  for (;;) {
    const port = await freePort();
    if (await isFree(port + busOffset)) return port;
  }
}

/**
 * @param {number} port
 * @param {number} n
 * @param {number} count
 */
function give(port, n, count) {
  const first = Math.floor((n * slots) / count);
  const end = Math.floor(((n + 1) * slots) / count);
  // One by one, as Redis 6 has no command for ranges.
  return tell(port, `CLUSTER ADDSLOTS ${Array.from({ length: end - first }, (_, i) => first + i).join(' ')}`);
}

/**
 * @param {number} port
 * @param {string} command
 */
async function tell(port, command) {
  const answer = await askLine(port, `${command}\r\n`);
  if (!answer?.startsWith('+OK'))
    throw new StartFailure(`A Redis of the cluster answered ${answer ?? 'nothing'} to ${command.slice(0, 40)}`);
}

/**
 * Waits until a node reports the whole cluster.
 * @param {number} port
 * @param {number} count
 */
async function whole(port, count) {
  for (let left = 1_000; left > 0; left -= 1) {
    const info = await askLine(port, 'CLUSTER INFO\r\n');
    if (
      info?.includes('cluster_state:ok') &&
      info.includes(`cluster_size:${count}\r`) &&
      info.includes(`cluster_slots_ok:${slots}`)
    )
      return;
    await pause(20);
  }
  throw new StartFailure('The Redis Cluster did not come together.');
}
