/** Saves the present filters as a view; changes, shares or deletes the one that is open. Loaded by ListHeader. */
import { type FormEvent, useState } from 'react';
import { may } from '../shell/rights.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { TextInput, Tick } from '../ui/fields.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { messageOf } from '../wire/apiError.ts';
import { type ItemQuery, keys, meQuery, type SavedView } from '../wire/queries.ts';
import { dialogTexts } from './dialogTexts.ts';
import { toBulkQuery } from './filter.ts';

/** Properties of the dialog that saves views. */
export interface SaveViewProps {
  /** Filters and order of the list. */
  readonly query: ItemQuery;
  /** The saved view that is open. */
  readonly open: SavedView | undefined;
  /** The inbox of the list; null: all. */
  readonly inbox: string | null;
  readonly label: (inbox: string) => string;
  /** null: none is open any more. */
  readonly onOpen: (id: string | null) => void;
  readonly onClose: () => void;
}

/** Returns the filters to save: those of the open saved view, overridden by those of the address. */
const present = ({ query, open, inbox }: Pick<SaveViewProps, 'query' | 'open' | 'inbox'>) => {
  const { inbox: _inbox, view, ...given } = toBulkQuery(query);
  const base = open === undefined ? (view === undefined ? {} : { view }) : open.query;
  return {
    inbox: inbox ?? open?.inbox ?? null,
    query: { ...base, ...given },
    sort: query['sort'] ?? open?.sort ?? null,
    isChanged: Object.keys(given).length > 0 || query['sort'] !== undefined,
  };
};

export const SaveView = ({ query, open, inbox, label, onOpen, onClose }: SaveViewProps) => {
  const { http, queries, notices } = useSession();
  const { data: me } = useRead(meQuery);
  const isOwn = open !== undefined && open.owner.id === me?.principal.id;
  const [name, setName] = useState(isOwn ? open.name : '');
  const [shared, setShared] = useState(isOwn && open.shared);
  const [isNew, setNew] = useState(!isOwn);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { isChanged, ...filters } = present({ query, open, inbox });
  const mayDelete = open !== undefined && (isOwn || (me !== undefined && may(me, 'settings', 'manage')));

  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    try {
      await work();
      await queries.invalidateQueries({ queryKey: keys.savedViews });
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const create = async (view: object): Promise<string> =>
    (await http.call<{ view: SavedView }>('POST', '/me/views', { body: view })).body.view.id;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      const view = { name: name.trim(), shared, ...filters };
      if (isNew || open === undefined) onOpen(await create(view));
      else {
        await http.call('PATCH', `/me/views/${open.id}`, { body: view });
        await queries.invalidateQueries({ queryKey: keys.items });
        onOpen(open.id);
      }
      notices.done(shared ? dialogTexts.saveView.savedAndShared(view.name) : dialogTexts.saveView.saved(view.name));
    });
  };
  const remove = (view: SavedView): void =>
    void run(async () => {
      await http.call('DELETE', `/me/views/${view.id}`, { body: {} });
      onOpen(null);
      const { name: called, inbox: of, query: kept, sort, shared: wasShared } = view;
      const undo = (): void =>
        void create({ name: called, inbox: of, query: kept, sort, shared: wasShared })
          .then(() => queries.invalidateQueries({ queryKey: keys.savedViews }))
          .catch((error: unknown) => notices.failed(error));
      if (isOwn) notices.remember(undo);
      notices.done(dialogTexts.saveView.removed(called), isOwn ? notices.undo : undefined);
    });

  return (
    <FormDialog
      title={isNew ? dialogTexts.saveView.save : dialogTexts.saveView.change}
      about={isChanged || open === undefined ? dialogTexts.saveView.about : dialogTexts.saveView.aboutUnchanged}
      deed={isNew ? dialogTexts.saveView.save : dialogTexts.saveView.saveChanges}
      problem={problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label={dialogTexts.saveView.name} value={name} required autoFocus maxLength={80} onValue={setName} />
      <Tick
        className="toggle"
        label={
          filters.inbox === null
            ? dialogTexts.saveView.shareWithAll
            : dialogTexts.saveView.shareWith(label(filters.inbox))
        }
        isOn={shared}
        onTick={setShared}
      />
      {isOwn && <Tick className="toggle" label={dialogTexts.saveView.asNew} isOn={isNew} onTick={setNew} />}
      {mayDelete && (
        <p>
          <Button tone="danger" disabled={isBusy} onClick={() => remove(open)}>
            {dialogTexts.saveView.remove(open.name)}
          </Button>
        </p>
      )}
    </FormDialog>
  );
};
