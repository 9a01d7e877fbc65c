/** The replies of others that came while one's own was being written, so that no customer is answered twice unawares. Used by Composer. */
import { useEffect, useState } from 'react';
import { useDraft } from '../ui/draft.ts';
import type { Entry } from '../wire/types.ts';

/** Below the id of every entry. */
const belowAllIds = 'ent';

interface AnsweredOptions {
  /** The key of the draft. */
  readonly place: string;
  /** Whether anything is written. */
  readonly isBegun: boolean;
  /** Newest first; undefined: not read yet. */
  readonly timeline: readonly Entry[] | undefined;
  readonly me: string | null;
}

interface Answered {
  /** The newest reply of somebody else since one's own was begun. */
  readonly reply: Entry | null;
  /** Whether it was told when one's own was to be sent. */
  readonly isTold: boolean;
  tell(): void;
}

/** The draft keeps the newest entry that was there when it was begun, so that what comes before a reload or a sign-in is told after it. */
export const useAnswered = ({ place, isBegun, timeline, me }: AnsweredOptions): Answered => {
  const [since, setSince] = useDraft(`${place}.since`);
  const [told, setTold] = useState<string | null>(null);
  const newest = timeline === undefined ? '' : (timeline[0]?.id ?? belowAllIds);
  useEffect(() => {
    if (isBegun ? since === '' && newest !== '' : since !== '') setSince(isBegun ? newest : '');
  }, [isBegun, since, newest, setSince]);
  const reply =
    isBegun && since !== ''
      ? (timeline?.find(({ id, type, actor }) => type === 'reply' && id > since && actor.id !== me) ?? null)
      : null;
  return { reply, isTold: reply !== null && told === reply.id, tell: () => setTold(reply?.id ?? null) };
};
