/** Erasures in the settings: removing what identifies a person, counted first, and what became of each. Used by SettingsPage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../settings/Confirm.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ListTable } from '../ui/ListTable.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { ShowEarlier } from '../ui/ShowEarlier.tsx';
import { count } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import { erasuresQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { Erasure, ErasureCounts, ErasureRequest } from '../wire/types.ts';
import { EraseForm } from './EraseForm.tsx';
import { countWords } from './words.ts';

const path = '/settings/erasures';
const placeOf = ({ record }: Pick<ErasureRequest, 'record'>): string => `${record.resource} ${record.id}`;

/** What a dry run has counted. */
interface Counted {
  readonly request: ErasureRequest;
  readonly found: ErasureCounts;
  /** Months that no erasure reaches. */
  readonly archives: readonly string[];
}

/** Returns what a confirmation says: what would go, and what would stay. */
const aboutOf = ({ request: { linked }, found, archives }: Counted): string => {
  const left = linked === true ? 0 : (found['linkedItems'] ?? 0);
  return [
    `${countWords(found) ?? 'Nothing is found, and what comes meanwhile'} will be erased. This can’t be undone.`,
    left === 0 ? '' : ` ${count(left)} ${left === 1 ? 'item links' : 'items link'} to the record and will stay.`,
    archives.length === 0 ? '' : ` What is archived (${archives.join(', ')}) is not reached: have it restored before.`,
  ].join('');
};

const State = ({ erasure: { status, erased, waitsFor, finishedAt } }: { readonly erasure: Erasure }) => {
  const waits = waitsFor === null ? null : countWords(waitsFor);
  if (status === 'running') return waits === null ? 'under way' : `waits for ${waits}`;
  return (
    <>
      {countWords(erased) ?? 'nothing was there'} erased {finishedAt !== null && <Ago isInSentence at={finishedAt} />}
    </>
  );
};

export const ErasuresSection = () => {
  const { http } = useSession();
  const list = useInfiniteQuery(erasuresQuery(http));
  const { call, change, dialog } = useSettingsChange(settingsKeys.erasures);
  const [isOpen, setOpen] = useState(false);
  const [counted, setCounted] = useState<Counted | null>(null);
  const { data, error, refetch } = list;
  const erasures = data?.pages.flatMap((page) => page.erasures);
  const countIt = async (request: ErasureRequest): Promise<void> => {
    const body = { ...request, dryRun: true };
    const { found, archives } = await call<Omit<Counted, 'request'>>({ method: 'POST', path, body });
    setOpen(false);
    setCounted({ request, found, archives });
  };
  if (error !== null && erasures === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column">
      <header className="column-head">
        <div>
          <h1>Erasures</h1>
          <p className="soft">
            Remove what identifies a person, wherever it is, and keep who did what when. Delete them in the app first.
          </p>
        </div>
        <Button tone="main" onClick={() => setOpen(true)}>
          Erase a person
        </Button>
      </header>
      {erasures === undefined && <Skeleton rows={3} />}
      {erasures?.length === 0 && <Empty title="Nobody was erased">What is asked for and done appears here.</Empty>}
      {erasures !== undefined && erasures.length > 0 && (
        <ListTable label="Erasures" headings={['Record', 'State', 'Asked for']}>
          {erasures.map((erasure) => (
            <tr key={erasure.id}>
              <td dir="auto">{placeOf(erasure)}</td>
              <td>
                <State erasure={erasure} />
              </td>
              <td className="soft">
                by {erasure.requestedBy.name}, <Ago isInSentence at={erasure.requestedAt} />
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      <ShowEarlier what="ones" list={list} />
      {isOpen && <EraseForm onCount={countIt} onClose={() => setOpen(false)} />}
      {counted !== null && (
        <Confirm
          title={`Erase ${placeOf(counted.request)}?`}
          about={aboutOf(counted)}
          deed="Erase for ever"
          onConfirm={() =>
            void change(
              { method: 'POST', path, body: { ...counted.request, confirmed: true } },
              `${placeOf(counted.request)} is being erased.`,
            )
          }
          onClose={() => setCounted(null)}
        />
      )}
      {dialog}
    </div>
  );
};
