/** From where on a client follows the live stream after a response with items. A step of api/app.ts. */
import type { Middleware } from 'koa';
import { Fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { lastPart } from '../../shared/platform/core/seal.ts';
import type { Live } from '../live/index.ts';
import { alternateLastPart } from '../live/offsets.ts';
import { ownerOf } from './standbyRead.ts';
import type { CallerState } from './state.ts';

/**
 * Sets `x-live-offset`, the position of the stream from before the response was read, on responses with items and on
 * `version_conflict`, which shows the item or the flag as it is. Where standbys serve reads, every change has one, in its other
 * form: the change comes after it, and the client's next read has to see it (standbyRead.ts).
 */
export const streamOffset =
  ({ standbys }: Pick<Deps, 'standbys'>, live: Live): Middleware<CallerState> =>
  async ({ state, method, req }, next) => {
    const { env } = state.caller;
    const { 'x-live-offset': seen } = req.headers;
    const position = await live.position(env);
    state.place = { seen: typeof seen === 'string' ? seen : null, position };
    const mayLackChange = (): boolean => standbys?.mayLackChangeOf(ownerOf(state)) === true;
    const setOffset = (): void => {
      const follows = mayLackChange() || (standbys !== null && method !== 'GET');
      const part = follows ? alternateLastPart : lastPart;
      state.headers['x-live-offset'] = env.seal.offset({ epoch: env.epoch, position, part });
    };
    try {
      await next();
    } catch (error) {
      if (error instanceof Fault && error.code === 'version_conflict') setOffset();
      throw error;
    }
    if (state.response.items === true || (method !== 'GET' && mayLackChange())) setOffset();
  };
