/** Finds the position at which a stream starts, in step with its channel. Used by upgrade.ts. */
import type { Deps } from '../../shared/deps.ts';
import type { EnvironmentChannel } from './channel.ts';
import { parseAfterOffset } from './offsets.ts';
import type { StreamStart } from './session.ts';

/**
 * Returns where a session starts that joins the channel in this turn: after `after`, once the channel is as far, or with a reset.
 * Parses the offset again when the channel's epoch or restart mark has changed meanwhile. Throws `400 bad_cursor`.
 */
export const readStart = async (
  { db, directory }: Deps,
  channel: EnvironmentChannel,
  after: string | undefined,
): Promise<StreamStart> => {
  if (after === undefined) return { reset: null };
  for (;;) {
    const { env, restarted } = channel;
    const place = await parseAfterOffset(db, env, directory.environments(), after);
    if (typeof place === 'string') return { reset: place };
    await channel.readUpTo(place.position);
    if (channel.env.epoch !== env.epoch || channel.restarted !== restarted) continue;
    // Ahead of what PostgreSQL has: the offset is of messages that a failover has lost.
    return place.position > channel.newestPosition ? { reset: 'epoch' } : { after, place };
  }
};
