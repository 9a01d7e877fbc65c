/**
 * Places on a stream. An offset names a part of the row at a position: its number, or 255 for the last one, after which
 * comes the next position. 254 means the same: so a message that isn't a part (`reset`) always has an offset that differs
 * from the one before it, while resuming from either goes on with the next position.
 */
import type { Environment } from '../../shared/app/manifest/definition.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import { lastPart } from '../../shared/platform/listing/seal.ts';

export const alternateLastPart = lastPart - 1;

/** Returns the number in offsets of part `i` of `count`. No row has more than 254. */
export const partIndex = (i: number, count: number): number =>
  i === count - 1 ? lastPart : Math.min(i, alternateLastPart - 1);

export type ResetReason = 'gone' | 'epoch' | 'role';

/** Where a reader stands: it has everything up to `position`, and of the position after that the first `parts` parts. */
export interface StreamPosition {
  readonly position: number;
  readonly parts: number;
}

/** Returns the offset after everything of `position`, in the form that isn't `last`. */
export const endOffset = ({ seal, epoch }: Environment, position: number, last?: string): string => {
  const offset = seal.offset({ epoch, position, part: lastPart });
  return offset === last ? seal.offset({ epoch, position, part: alternateLastPart }) : offset;
};

const readHeadSql = statement(
  'live.head',
  `
  select coalesce(s.position, 0) as position, coalesce(s.trimmed, 0) as trimmed, e.epoch
  from environments e left join streams s on s.env = e.id where e.id = $1`,
);
const readEpochEndSql = statement('live.epochEnd', 'select last from stream_epochs where env = $1 and epoch = $2');

/** Where a stream stands in the database. A directory may be behind its epoch. */
export interface StreamHead {
  readonly epoch: number;
  readonly position: number;
}

export const readStreamHead = async (db: Db, env: Environment): Promise<StreamHead & { readonly trimmed: number }> =>
  (await queryRow<StreamHead & { trimmed: number }>(db, readHeadSql, [env.id])) ?? {
    position: 0,
    trimmed: 0,
    epoch: env.epoch,
  };

/** Returns the last position of an epoch that has ended which the later ones have gone on from; -1: none. */
export const readEpochEnd = async (db: Db, envId: number, epoch: number): Promise<number> =>
  (await queryRow<{ last: number }>(db, readEpochEndSql, [envId, epoch]))?.last ?? -1;

/** Returns the place of `after`, or the reason why the stream can't continue there. Throws `400 bad_cursor` for an invalid offset. */
export const parseAfterOffset = async (
  db: Db,
  env: Environment,
  all: readonly Environment[],
  after: string,
): Promise<StreamPosition | ResetReason> => {
  const opened = env.seal.openOffset(after);
  if (opened === null) {
    if (all.some((other) => other.id !== env.id && other.seal.openOffset(after) !== null)) return 'epoch';
    throw fault('bad_cursor', 'after is not an offset of this stream.', {
      details: [{ path: 'after', message: 'is not an offset of this stream' }],
    });
  }
  const whole = opened.part >= alternateLastPart;
  const place = { position: whole ? opened.position : opened.position - 1, parts: whole ? 0 : opened.part + 1 };
  const head = await readStreamHead(db, env);
  const last = opened.epoch === head.epoch ? head.position : await readEpochEnd(db, env.id, opened.epoch);
  if (opened.position > last) return 'epoch';
  return place.position < head.trimmed ? 'gone' : place;
};
