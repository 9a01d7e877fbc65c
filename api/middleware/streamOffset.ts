/** From where on a client follows the live stream after a response with items. A step of api/app.ts. */
import type { Middleware } from 'koa';
import { Fault } from '../../shared/catalogue/errors.ts';
import type { Live } from '../live/index.ts';
import type { CallerState } from './state.ts';

/** Greater than the number of every part, so that the offset stands behind all parts of its position. */
const lastPart = 255;

/**
 * Sets `x-live-offset`, the position of the stream from before the response was read, on responses with items and on
 * `version_conflict`, which shows the item or the flag as it is.
 */
export const streamOffset =
  (live: Live): Middleware<CallerState> =>
  async ({ state }, next) => {
    const { env } = state.caller;
    const position = await live.position(env);
    const setOffset = (): void => {
      state.headers['x-live-offset'] = env.seal.offset({ epoch: env.epoch, position, part: lastPart });
    };
    try {
      await next();
    } catch (error) {
      if (error instanceof Fault && error.code === 'version_conflict') setOffset();
      throw error;
    }
    if (state.response.items === true) setOffset();
  };
