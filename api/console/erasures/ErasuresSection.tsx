/** Erasures in the settings: removing what identifies a person, counted first, and what became of each. Used by SettingsPage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ColumnHead } from '../ui/ColumnHead.tsx';
import { ShowEarlier } from '../ui/ListEnds.tsx';
import { ListTable } from '../ui/ListTable.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { Ago } from '../ui/Time.tsx';
import { toWords } from '../ui/words.ts';
import { erasuresQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { Erasure, ErasureCounts, ErasureRequest } from '../wire/types.ts';
import { EraseConfirm } from './EraseConfirm.tsx';
import { EraseForm, type Known } from './EraseForm.tsx';
import { erasureTexts } from './texts.tsx';

/** Returns what is counted, such as “2 items” and “5 runs”; what has no words is nothing that people count. */
const countWords = (counts: ErasureCounts): readonly string[] =>
  Object.entries(erasureTexts.counts).flatMap(([kind, text]) => {
    const n = counts[kind] ?? 0;
    return n === 0 ? [] : [text(n)];
  });

const path = '/settings/erasures';
const placeOf = ({ record }: Pick<ErasureRequest, 'record'>): string => `${record.resource} ${record.id}`;

/** What a dry run has counted. */
interface Counted {
  readonly request: ErasureRequest;
  /** Whether the record was found. */
  readonly known: Known;
  readonly found: ErasureCounts;
  /** Months that no erasure reaches. */
  readonly archives: readonly string[];
}

/** Returns what a confirmation says: what would go, and what would stay. */
const aboutOf = ({ request: { linked, record }, known, found, archives }: Counted): string => {
  const texts = erasureTexts.confirm;
  const left = linked === true ? 0 : (found['linkedItems'] ?? 0);
  const words = countWords(found);
  return [
    ...(known === 'known' ? [] : [texts.doubts[known](toWords(record.resource).toLowerCase())]),
    words.length === 0 ? texts.nothingFound : texts.found(words),
    ...(left === 0 ? [] : [texts.left(left)]),
    ...(archives.length === 0 ? [] : [texts.archived(archives)]),
  ].join(' ');
};

const State = ({ erasure: { status, erased, waitsFor, finishedAt } }: { readonly erasure: Erasure }) => {
  const waits = waitsFor === null ? [] : countWords(waitsFor);
  if (status === 'running') return waits.length === 0 ? erasureTexts.underWay : erasureTexts.waitsFor(waits);
  const words = countWords(erased);
  const when = finishedAt === null ? null : <Ago isInSentence at={finishedAt} />;
  return words.length === 0 ? erasureTexts.nothingErased(when) : erasureTexts.erased(words, when);
};

export const ErasuresSection = () => {
  const { http, notices } = useSession();
  const list = useInfiniteQuery(erasuresQuery(http));
  const { call, dialog } = useSettingsChange(settingsKeys.erasures);
  const [isOpen, setOpen] = useState(false);
  const [counted, setCounted] = useState<Counted | null>(null);
  const { data, error, refetch } = list;
  const erasures = data?.pages.flatMap((page) => page.erasures);
  const countIt = async (request: ErasureRequest, known: Known): Promise<void> => {
    const body = { ...request, dryRun: true };
    const { found, archives } = await call<Pick<Counted, 'found' | 'archives'>>({ method: 'POST', path, body });
    setOpen(false);
    setCounted({ request, known, found, archives });
  };
  if (error !== null && erasures === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column">
      <ColumnHead title={erasureTexts.title} about={erasureTexts.about}>
        <Button tone="main" onClick={() => setOpen(true)}>
          {erasureTexts.ask}
        </Button>
      </ColumnHead>
      {erasures === undefined && <Skeleton rows={3} />}
      {erasures?.length === 0 && <Empty title={erasureTexts.none}>{erasureTexts.noneAbout}</Empty>}
      {erasures !== undefined && erasures.length > 0 && (
        <ListTable label={erasureTexts.title} headings={erasureTexts.headings} hasMore={list.hasNextPage}>
          {erasures.map((erasure) => (
            <tr key={erasure.id}>
              <td dir="auto">{placeOf(erasure)}</td>
              <td>
                <State erasure={erasure} />
              </td>
              <td className="soft">
                {erasureTexts.asked(erasure.requestedBy.name, <Ago isInSentence at={erasure.requestedAt} />)}
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      <ShowEarlier what="ones" list={list} />
      {isOpen && <EraseForm onCount={countIt} onClose={() => setOpen(false)} />}
      {counted !== null && (
        <EraseConfirm
          record={counted.request.record}
          about={aboutOf(counted)}
          isDoubtful={counted.known !== 'known' && countWords(counted.found).length === 0}
          onErase={async () => {
            await call({ method: 'POST', path, body: { ...counted.request, confirmed: true } });
            setCounted(null);
            notices.show({ tone: 'done', text: erasureTexts.begun(placeOf(counted.request)) });
          }}
          onClose={() => setCounted(null)}
        />
      )}
      {dialog}
    </div>
  );
};
