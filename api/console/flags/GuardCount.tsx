/** What a guard would count now: what came before a ramp counts too, so that a ramp may end as soon as it begins. Used by NewRamp. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { rampTexts } from './rampTexts.ts';
import { spanText } from './words.ts';

const texts = rampTexts.counted;

interface GuardCountProps {
  readonly inbox: string;
  /** Empty: all. */
  readonly tag: string;
  readonly above: number;
  readonly within: number;
  /** Whether the ramp would stop, or else be rolled back. */
  readonly isStop: boolean;
}

const rereadMs = 15_000;

export const GuardCount = ({ inbox, tag, above, within, isStop }: GuardCountProps) => {
  const { http } = useSession();
  const count = async (since: object, signal: AbortSignal): Promise<number> => {
    const query = { inbox, ...(tag === '' ? {} : { tags: tag }), ...since, count: 1, limit: 1 };
    return (await http.call<{ total: number }>('GET', '/items', { query, signal })).body.total;
  };
  const { data: items } = useQuery({
    queryKey: ['guardCount', inbox, tag, within],
    queryFn: ({ signal }) => count({ seenAfter: Date.now() - within }, signal),
    enabled: within >= 1_000,
    refetchInterval: rereadMs,
    retry: false,
  });
  const { data: tagged } = useQuery({
    queryKey: ['guardCount', inbox, tag],
    queryFn: ({ signal }) => count({}, signal),
    enabled: tag !== '' && items === 0,
    refetchInterval: rereadMs,
    retry: false,
  });
  if (items === undefined) return null;
  const span = spanText(within);
  // A tag that is mistyped makes a guard that never ends anything.
  if (items === 0 && tagged === 0)
    return (
      <p className="hint" role="status">
        {texts.noTag(tag)}
      </p>
    );
  if (items > above)
    return (
      <p className="problem" role="status">
        {(isStop ? texts.stops : texts.rollsBack)(items, span)}
      </p>
    );
  return (
    <p className="soft" role="status">
      {items === 0 ? texts.nothing(span) : texts.some(items, span)}
    </p>
  );
};
