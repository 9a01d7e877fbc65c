/** The parts of an entry of the audit log: its verb, action, target, marks and change. Used by AuditPage and the ledger of agents. */
import { useState, type ReactNode } from 'react';
import { inputText, toForm } from '../actions/schema.ts';
import { differences } from '../content/difference.ts';
import { hasPage, ThingLink } from '../content/links.tsx';
import { useNames } from '../content/names.ts';
import { isObject, legible, shown, toWords } from '../content/values.ts';
import { allows } from '../settings/sections.ts';
import { useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Aside } from '../ui/marks.tsx';
import { inRow } from '../ui/plural.ts';
import { actionsQuery } from '../wire/actionQueries.ts';
import { meQuery } from '../wire/queries.ts';
import { itemTitleQuery } from '../wire/searchQueries.ts';
import { settingsNamesQuery } from '../wire/settingsQueries.ts';
import type { AuditEntry } from '../wire/types.ts';
import { type Requests, approverOf, bulkOf, outcomeOf } from './outcome.ts';
import { auditTexts } from './texts.tsx';
import { verbTexts } from './verbTexts.ts';

interface TargetLinkProps extends Pick<AuditEntry, 'target'> {
  /** Of the link; absent: the kind of the thing. */
  readonly children?: ReactNode;
}

/** What an entry was done to, as a link where it has a page. */
export const TargetLink = ({ target: { type, id }, children }: TargetLinkProps) => {
  const shown = children ?? type;
  if (id === null) return shown;
  if (hasPage(type))
    return (
      <ThingLink type={type} id={id} title={id} className={children === undefined ? 'target-kind' : ''}>
        {shown}
      </ThingLink>
    );
  return children === undefined ? (
    shown
  ) : (
    <>
      {type} {children}
    </>
  );
};

/** Returns the names of what is kept in the settings by id, for those who manage it and where they are wanted; undefined: not known. */
export const useSettingsNames = (isWanted: boolean): ReadonlyMap<string, string> | undefined => {
  const { data: me } = useRead(meQuery);
  const mayManage = me !== undefined && allows(me, 'settings: manage');
  return useRead(settingsNamesQuery, { enabled: isWanted && mayManage }).data;
};

const managed: ReadonlySet<string | null> = new Set(['agent', 'person', 'role', 'appKey']);

/** What the target of an entry is called: an item by its title; agents, people, roles and app keys by their names, for those who manage them; anything else by its id. / */
export const TargetName = ({ target: { type, id } }: Pick<AuditEntry, 'target'>) => {
  const { data: title } = useRead((http) => ({
    ...itemTitleQuery(http, id ?? ''),
    enabled: type === 'item' && id !== null,
  }));
  const names = useSettingsNames(managed.has(type));
  const name = title ?? names?.get(id ?? '');
  return name === undefined ? (
    <span className="mono">{id}</span>
  ) : (
    <span className="target-name" dir="auto">
      {name}
    </span>
  );
};

/** Returns a verb in words; one that has none, such as that of a read, as the words of its name. */
export const verbWords = (verb: string): string => verbTexts[verb] ?? toWords(verb.replaceAll('.', ' '));

export interface EntryMarksProps {
  readonly entry: AuditEntry;
  readonly requests: Requests;
}

const EntryApprover = ({ entry, requests }: EntryMarksProps) => {
  const name = approverOf(entry, requests);
  return name !== null && <Aside>· {auditTexts.approvedBy(name)}</Aside>;
};

export const EntryBulk = ({ entry, requests }: EntryMarksProps) => {
  const id = bulkOf(entry, requests);
  return id !== null && <TargetLink target={{ type: 'bulk', id }}>{auditTexts.ofBulk}</TargetLink>;
};

/** Returns a function that gives a dotted member of an entry as text: ids of people as names, the input of an action in the words of its form. */
export const useValueText = (entry: AuditEntry): ((name: string, value: unknown) => string) => {
  const names = useNames();
  const action = actionOf(entry);
  const { data: actions } = useRead(actionsQuery, { enabled: action !== null });
  return (name, value) => {
    if (typeof value === 'string' && (value === names.me || names.people.some(({ id }) => id === value)))
      return names.of(value);
    if (name !== 'operation.input' || !isObject(value)) return shown(value);
    const form = toForm(actions?.find((each) => each.name === action)?.input ?? {});
    const members = form.kind === 'group' ? form.members : [];
    return inRow(
      Object.entries(value).map(([member, of]) => {
        const field = members.find((each) => each.name === member);
        return `${legible(field?.label ?? toWords(member))} ${inputText(field, of, value)}`;
      }),
    );
  };
};

/** Returns an entry whose approver is a name, and not the members of a person. */
const withApproverName = (entry: AuditEntry): AuditEntry => {
  const { approvedBy, ...after }: Readonly<Record<string, unknown>> = { ...entry.after };
  return isObject(approvedBy) ? { ...entry, after: { ...after, approvedBy: approvedBy['name'] } } : entry;
};

const texts = auditTexts.change;

/** The members before and after; of a first state all that there are. */
const changesOf = ({ before, after }: AuditEntry) => {
  const found = differences(before, before ?? {}, after ?? {});
  if (found.length > 0) return found;
  return Object.entries(before ?? after ?? {}).map(([name, value]: [string, unknown]) => ({
    name,
    now: before === null ? undefined : value,
    after: after === null ? undefined : value,
  }));
};

/** The values of an audit entry before and after. */
const AuditChange = ({ entry }: { readonly entry: AuditEntry }) => {
  const textOf = useValueText(entry);
  const rows = changesOf(withApproverName(entry));
  return (
    <div className="audit-change">
      {rows.length > 0 && (
        <table aria-label={texts.title}>
          <thead>
            <tr>
              <th>{texts.member}</th>
              <th>{texts.before}</th>
              <th>{texts.after}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, now, after }) => (
              <tr key={name}>
                <th scope="row" title={name}>
                  {toWords(name)}
                </th>
                <td dir="auto">{textOf(name, now)}</td>
                <td dir="auto">{textOf(name, after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="soft">
        <span className="mono">{entry.id}</span>
        {entry.requestId !== null && <> · {texts.request(<span className="mono">{entry.requestId}</span>)}</>}
        {entry.address !== null && ` · ${texts.from(entry.address)}`}
      </p>
    </div>
  );
};

interface EntryRowProps extends EntryMarksProps {
  /** Of the table. */
  readonly columns: number;
  /** Whether a line is marked that waits or was refused. */
  readonly isMarked?: boolean;
  /** The cells before that of the outcome. */
  readonly children: ReactNode;
}

/** An entry on a line: how it ended, why it was done, and a button that shows and hides its values below. */
export const EntryRow = ({ entry, requests, columns, isMarked = false, children }: EntryRowProps) => {
  const [isOpen, setOpen] = useState(false);
  const [words, tone] = outcomeOf(entry, requests);
  const label = isOpen ? auditTexts.hideDetails : auditTexts.details;
  return (
    <>
      <tr className={isMarked && tone !== 'soft' ? 'marked' : ''}>
        {children}
        <td className={tone}>
          {words}
          {entry.count > 1 && ` ${auditTexts.times(entry.count)}`} <EntryApprover entry={entry} requests={requests} />
        </td>
        <td dir="auto">{legible(entry.reason ?? '')}</td>
        <td>
          <Button
            tone="bare"
            aria-label={auditTexts.detailsOf(label, verbWords(entry.verb))}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {label}
          </Button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={columns}>
            <AuditChange entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
};

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** Returns the name of the action, or of that of a bulk; null: the entry is about none. */
const actionOf = ({ target, before, after }: AuditEntry): string | null => {
  if (target.type === 'action') return target.id;
  const named = [after, before].flatMap((side) => [
    membersOf(side)['action'],
    membersOf(membersOf(side)['operation'])['action'],
  ]);
  return named.find((name) => typeof name === 'string') ?? null;
};

export const ActionName = ({ entry }: { readonly entry: AuditEntry }) => {
  const name = actionOf(entry);
  const { data: actions } = useRead(actionsQuery, { enabled: name !== null });
  if (name === null) return null;
  const label = actions?.find((action) => action.name === name)?.label ?? toWords(name);
  return <strong dir="auto">{legible(label)}</strong>;
};
