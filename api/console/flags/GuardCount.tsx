/** What a guard would count now: what came before a ramp counts too, so that a ramp may end as soon as it begins. Used by NewRamp. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { count } from '../ui/time.ts';
import { spanText } from './words.ts';

interface GuardCountProps {
  readonly inbox: string;
  /** Empty: all. */
  readonly tag: string;
  readonly above: number;
  readonly within: number;
  /** What the ramp would do. */
  readonly end: string;
}

const rereadMs = 15_000;

export const GuardCount = ({ inbox, tag, above, within, end }: GuardCountProps) => {
  const { http } = useSession();
  const { data: items } = useQuery({
    queryKey: ['guardCount', inbox, tag, within],
    queryFn: async ({ signal }) => {
      const tags = tag === '' ? {} : { tags: tag };
      const query = { inbox, ...tags, seenAfter: Date.now() - within, count: 1, limit: 1 };
      return (await http.call<{ total: number }>('GET', '/items', { query, signal })).body.total;
    },
    enabled: within >= 1_000,
    refetchInterval: rereadMs,
    retry: false,
  });
  if (items === undefined) return null;
  const isOver = items > above;
  return (
    <p className={isOver ? 'problem' : 'soft'} role="status">
      {items === 0 ? 'Nothing' : `At least ${count(items)}`} came there in the last {spanText(within)}, which counts too
      {isOver ? `: the ramp would ${end} at once.` : '.'}
    </p>
  );
};
