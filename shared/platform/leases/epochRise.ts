/** How epochs of the live stream rise, wherever a new one begins: by hand, after a failover, over data that have gone back. */
import { randomInt } from 'node:crypto';

const most = 2 ** 15;

/** Returns by how much epochs and revisions rise: by chance, so that those that were lost with a server do not come again with another meaning. */
export const newEpochRise = (): number => 1 + randomInt(most);
