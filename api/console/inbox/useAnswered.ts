/**
 * The replies that came while one was being written, so that no customer is answered twice unawares: those of others, and one's own
 * of which no answer came or which another tab sent. Used by Composer.
 */
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
  /** Whether it is being sent: its own entry may come before its answer. */
  readonly isBusy: boolean;
}

interface Answered {
  /** The newest reply since this one was begun. */
  readonly reply: Entry | null;
  /** Whether it was told when one's own was to be sent. */
  readonly isTold: boolean;
  tell(): void;
}

/** The draft keeps the newest entry that was there when it was begun, so that what comes before a reload or a sign-in is told after it. */
export const useAnswered = ({ place, isBegun, timeline, isBusy }: AnsweredOptions): Answered => {
  const [since, setSince] = useDraft(`${place}.since`);
  const [told, setTold] = useState<string | null>(null);
  const newest = timeline === undefined ? '' : (timeline[0]?.id ?? belowAllIds);
  useEffect(() => {
    if (isBegun ? since === '' && newest !== '' : since !== '') setSince(isBegun ? newest : '');
  }, [isBegun, since, newest, setSince]);
  const reply =
    isBegun && !isBusy && since !== ''
      ? (timeline?.find(({ id, type }) => type === 'reply' && id > since) ?? null)
      : null;
  return { reply, isTold: reply !== null && told === reply.id, tell: () => setTold(reply?.id ?? null) };
};
