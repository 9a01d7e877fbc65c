/** Erasures in the settings: removing what identifies a person, named by their record, counted first, confirmed, and what became of each. Used by SettingsPage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { RecordChoices } from '../content/RecordChoices.tsx';
import { toWords } from '../content/values.ts';
import { SubmitDialog } from '../settings/dialogs.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { TextInput, Choice, ProblemText, Tick } from '../ui/fields.tsx';
import { Ago } from '../ui/marks.tsx';
import { ColumnHead, ListTable } from '../ui/PageParts.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { ShowEarlier, Row, Rows } from '../ui/Rows.tsx';
import { resourcesQuery } from '../wire/actionQueries.ts';
import { ApiError } from '../wire/apiError.ts';
import { recordQuery } from '../wire/appQueries.ts';
import { erasuresQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { Erasure, ErasureCounts, ErasureRequest } from '../wire/types.ts';
import { erasureTexts } from './texts.tsx';

interface RecordFieldProps extends ComponentProps<typeof RecordChoices> {
  /** Why the id can't be meant, or may not be; null: nothing speaks against it. */
  readonly problem: string | null;
}

/** The id of the record of a person to erase, found by the words of it too. */
const RecordField = ({ resource, id, problem, onId }: RecordFieldProps) => (
  <>
    <TextInput
      label={erasureTexts.form.id}
      required
      maxLength={200}
      autoFocus
      spellCheck={false}
      aria-invalid={problem !== null}
      value={id}
      onValue={onId}
    />
    <ProblemText text={problem} />
    <RecordChoices resource={resource} id={id} onId={onId} />
  </>
);

/** `missing`: there is none with this id; `unclear`: it can't be looked up now. */
type Known = 'known' | 'missing' | 'unclear';

/** Whether there is a record with an id. */
const useLookUp = (): ((record: ErasureRequest['record']) => Promise<Known>) => {
  const { http, queries } = useSession();
  return async (record) => {
    try {
      await queries.fetchQuery({ ...recordQuery(http, record), retry: false });
      return 'known';
    } catch (error) {
      return error instanceof ApiError && error.status === 404 ? 'missing' : 'unclear';
    }
  };
};

const formTexts = erasureTexts.form;

interface EraseFormProps {
  /** Counts what the request would erase, of a record that there is, or may not be; what it throws is shown. */
  readonly onCount: (request: ErasureRequest, known: Known) => Promise<void>;
  readonly onClose: () => void;
}

/** The dialog that names a person to erase, by their record, and counts what there is. */
const EraseForm = ({ onCount, onClose }: EraseFormProps) => {
  const { data: resources = [] } = useRead(resourcesQuery);
  const [chosen, setResource] = useState<string | null>(null);
  const [id, setId] = useState('');
  const [users, setUsers] = useState('');
  const [linked, setLinked] = useState(false);
  /** The record that was looked up last, where that did not find it. */
  const [doubted, setDoubted] = useState<{ readonly place: string; readonly known: Known } | null>(null);
  const lookUp = useLookUp();
  const resource = chosen ?? resources[0]?.name ?? '';
  const record = { resource, id: id.trim() };
  const place = JSON.stringify(record);
  const doubt = doubted?.place === place ? doubted.known : null;
  /** Looks the record up first: a second time it is counted, whatever that found. */
  const submit = async (): Promise<void> => {
    const known = doubt ?? (await lookUp(record));
    if (doubt === null && known !== 'known') return setDoubted({ place, known });
    await onCount(
      {
        record,
        users: users
          .split(',')
          .map((user) => user.trim())
          .filter(Boolean),
        linked,
      },
      known,
    );
  };
  return (
    <SubmitDialog
      title={erasureTexts.ask}
      about={formTexts.about}
      deed={doubt === null ? formTexts.deed : formTexts.deedAllTheSame}
      submit={submit}
      onClose={onClose}
    >
      <Choice
        label={formTexts.resource}
        value={resource}
        options={resources.map(({ name, label }) => [name, label])}
        onValue={setResource}
      />
      <RecordField
        resource={resource}
        id={id}
        problem={doubt === null ? null : formTexts.doubts[doubt](toWords(resource).toLowerCase())}
        onId={setId}
      />
      <TextInput label={formTexts.users} isOptional value={users} onValue={setUsers} />
      <Tick label={formTexts.linked} isOn={linked} onTick={setLinked} />
    </SubmitDialog>
  );
};

const confirmTexts = erasureTexts.confirm;

/** Titles of items that are named. */
const namedMost = 10;

interface EraseConfirmProps {
  readonly record: ErasureRequest['record'];
  /** What would go, and what would stay. */
  readonly about: string;
  /** Whether neither the record nor anything of it was found. */
  readonly isDoubtful: boolean;
  readonly onErase: () => Promise<void>;
  readonly onClose: () => void;
}

/** Confirms an erasure: whose record it is, which items go with it, and the id typed; of a record that nothing is known of, that it is meant. */
const EraseConfirm = ({ record, about, isDoubtful, onErase, onClose }: EraseConfirmProps) => {
  // A record that the app has deleted already is named by its id alone.
  const { data: page } = useRead((http) => ({ ...recordQuery(http, record), retry: false }));
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const [isMeant, setMeant] = useState(false);
  const items = page?.items ?? [];
  return (
    <SubmitDialog
      title={page === undefined ? confirmTexts.title(record.id) : confirmTexts.titleOf(page.record.title, record.id)}
      about={about}
      deed={confirmTexts.deed}
      tone="danger"
      isOff={isDoubtful && !isMeant}
      submit={async () => {
        setWrong(typed.trim() !== record.id);
        if (typed.trim() === record.id) await onErase();
      }}
      onClose={onClose}
    >
      {items.length > 0 && (
        <section aria-label={confirmTexts.items}>
          <h3>{confirmTexts.items}</h3>
          <Rows>
            {items.slice(0, namedMost).map(({ id, title }) => (
              <Row key={id} dir="auto" title={id}>
                {title}
              </Row>
            ))}
          </Rows>
          {items.length > namedMost && <p className="soft">{confirmTexts.moreItems}</p>}
        </section>
      )}
      {isDoubtful && <Tick className="choice danger" label={confirmTexts.isMeant} isOn={isMeant} onTick={setMeant} />}
      <TextInput
        label={confirmTexts.type(record.id)}
        autoFocus
        spellCheck={false}
        aria-invalid={isWrong}
        value={typed}
        onValue={setTyped}
      />
      <ProblemText text={isWrong ? confirmTexts.isOther : null} />
    </SubmitDialog>
  );
};

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
            notices.done(erasureTexts.begun(placeOf(counted.request)));
          }}
          onClose={() => setCounted(null)}
        />
      )}
      {dialog}
    </div>
  );
};
