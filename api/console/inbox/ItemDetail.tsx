/** One item beside its list: what it is, what happened, what can be done. Used by InboxPage. */
import { useQuery, type Query } from '@tanstack/react-query';
import { useState } from 'react';
import type { ActionRequest } from '../actions/request.ts';
import { useActionSheet, ActionPicker } from '../actions/useActionSheet.tsx';
import { Blocks } from '../content/Blocks.tsx';
import { AuditLink, RecordLink } from '../content/links.tsx';
import type { Names } from '../content/names.ts';
import { TimelineEntry } from '../content/TimelineEntry.tsx';
import { useKeys } from '../shell/keyboard.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Initials, StateGlyph, Ago, Due, Aside, useNow } from '../ui/marks.tsx';
import { Section, Back } from '../ui/PageParts.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { ArchivedNote } from '../ui/Rows.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { whenTime } from '../ui/time.ts';
import { actionsQuery } from '../wire/actionQueries.ts';
import { ApiError } from '../wire/apiError.ts';
import { useItem } from '../wire/itemStore.ts';
import { itemQuery, keys, meQuery, readTimeline } from '../wire/queries.ts';
import type { ItemDetail as Detail, Inbox, Item } from '../wire/types.ts';
import { Composer, type ComposerProps } from './Composer.tsx';
import { dialogTexts } from './dialogTexts.ts';
import { closedStates, editedNames, kindOf } from './filter.ts';
import { inboxTexts } from './texts.tsx';
import type { ItemCommands } from './useItemCommands.tsx';

interface ItemActionsProps {
  readonly detail: Detail;
  readonly onRun: (request: ActionRequest) => void;
}

/** What can be run on an item: suggested actions, and the list of all. */
const ItemActions = ({ detail, onRun }: ItemActionsProps) => {
  const { data: actions = [] } = useRead(actionsQuery);
  const [isChoosing, setChoosing] = useState(false);
  const { item, linked, suggestedActions } = detail;
  const canRun = actions.some(
    ({ resource }) => resource === null || linked.some((record) => record.resource === resource),
  );
  useKeys({ d: canRun ? () => setChoosing(true) : undefined }, 'actions');
  if (!canRun) return null;
  const suggested = suggestedActions.map(({ action, label, record, input, reason }) => ({
    action,
    label,
    record,
    title: linked.find(({ id }) => id === record)?.title ?? null,
    input,
    item: item.id,
    why: reason,
  }));
  return (
    <Section className="suggested" title={inboxTexts.item.actions}>
      {suggested.map((request, at) => (
        <div key={at}>
          <Button onClick={() => onRun(request)}>{request.label}</Button>
          {request.why !== null && (
            <p className="soft" dir="auto">
              {request.why}
            </p>
          )}
        </div>
      ))}
      <Button tone="bare" onClick={() => setChoosing(true)} shortcut="d">
        {inboxTexts.item.runAction}
      </Button>
      {isChoosing && (
        <ActionPicker
          targets={linked}
          suggested={suggested}
          item={item.id}
          onPick={onRun}
          onClose={() => setChoosing(false)}
        />
      )}
    </Section>
  );
};

interface ItemDetailProps extends Pick<ComposerProps, 'writing' | 'onWriting' | 'input'> {
  readonly id: string;
  readonly inboxes: readonly Inbox[];
  readonly names: Names;
  readonly commands: ItemCommands;
  readonly onBack: () => void;
  readonly onTag: (tag: string) => void;
}

type HeadProps = Pick<ItemDetailProps, 'names' | 'commands' | 'inboxes' | 'onTag'> & { readonly item: Item };

/** A member of the item: a button where it may be changed, else the same as text. */
const Facts = ({ item, inboxes, names, commands, onTag }: HeadProps) => {
  const { may, open } = commands;
  const kind = kindOf(inboxes, item);
  return (
    <div className="facts">
      <Button tone="bare" disabled={!may('state')} onClick={() => open('state')}>
        <span className="hidden">{inboxTexts.item.state}</span>
        <StateGlyph kind={kind} label="" /> {item.state}
      </Button>
      {editedNames.map((name) => (
        <Button key={name} tone="bare" disabled={!may('edit')} onClick={() => open(name)}>
          <span className="hidden">{inboxTexts.item.edited(inboxTexts.edited[name].label)}</span>
          {item[name]}
        </Button>
      ))}
      <Button tone="bare" disabled={!may('assign')} onClick={() => open('assign')}>
        <span className="hidden">{inboxTexts.item.assignee}</span>
        {item.assignee !== null && (
          <Initials name={names.of(item.assignee)} isNamed isUnknown={names.isUnknown(item.assignee)} />
        )}{' '}
        {names.of(item.assignee)}
      </Button>
      {item.dueAt !== null && <Due at={item.dueAt} />}
      {item.snoozedUntil !== null && (
        <Button tone="bare" disabled={!may('snooze')} onClick={() => open('snooze')}>
          {inboxTexts.item.snoozedUntil(whenTime(item.snoozedUntil))}
        </Button>
      )}
      {item.occurrences > 1 && (
        <span className="soft">
          {item.users > 0
            ? inboxTexts.item.timesAndUsers(item.occurrences, item.users)
            : inboxTexts.item.times(item.occurrences)}
        </span>
      )}
      {item.tags.map((tag) => (
        <button
          type="button"
          className="tag"
          key={tag}
          dir="auto"
          title={inboxTexts.item.showTagged(tag)}
          onClick={() => onTag(tag)}
        >
          {tag}
        </button>
      ))}
    </div>
  );
};

/** As many characters of a title as two lines surely have room for. */
const titleShown = 120;

/** Verbs that have a control here or in the composer. */
const verbs = ['state', 'edit', 'assign', 'tags', 'snooze', 'reply', 'note'];

const Deeds = ({ item, inboxes, commands }: Omit<HeadProps, 'names' | 'onTag'>) => {
  const { may, open, close } = commands;
  const inbox = inboxes.find(({ name }) => name === item.inbox);
  const isDecision = inbox !== undefined && closedStates(inbox).length > 1;
  if (!verbs.some(may)) return <p className="soft">{uiTexts.readOnly}</p>;
  return (
    <div className="deeds">
      {may('state') && kindOf(inboxes, item) !== 'closed' && (
        <Button onClick={close} shortcut="e">
          {isDecision ? inboxTexts.item.closeAs : inboxTexts.item.close}
        </Button>
      )}
      {may('assign') && (
        <Button onClick={() => open('assign')} shortcut="a">
          {inboxTexts.item.assign}
        </Button>
      )}
      {may('tags') && (
        <Button onClick={() => open('tags')} shortcut="t">
          {inboxTexts.item.tag}
        </Button>
      )}
      {may('snooze') && kindOf(inboxes, item) !== 'closed' && (
        <Button onClick={() => open('snooze')} shortcut="s">
          {inboxTexts.item.snooze}
        </Button>
      )}
    </div>
  );
};

interface ClaimLineProps {
  readonly item: Item;
  readonly mayClaim: boolean;
}

/** The holder of the claim on an item, and the buttons that claim the item, release it or take it over. */
const ClaimLine = ({ item, mayClaim }: ClaimLineProps) => {
  const { http, items, notices } = useSession();
  const { data: me } = useRead(meQuery);
  const now = useNow();
  // Nothing is told of a claim that ends by itself.
  const claim = item.claim !== null && item.claim.until > now ? item.claim : null;
  const isMine = claim !== null && claim.by.id === me?.principal.id;
  const deed = claim === null ? 'claim' : isMine ? 'release' : 'takeOver';
  const send = async (): Promise<void> => {
    const path = `/items/${item.id}/${isMine ? 'release' : 'claim'}`;
    const body = deed === 'takeOver' ? { takeOver: true } : {};
    const done = await notices.attempt(() => http.call<{ readonly item: Item }>('POST', path, { body }));
    if (done !== null) items.hearClaim(item.id, done.body.item.claim);
  };
  if (claim === null && !mayClaim) return null;
  return (
    <p className="claim">
      {claim !== null && (
        <span>
          {isMine
            ? dialogTexts.claim.mine(whenTime(claim.until))
            : dialogTexts.claim.others(claim.by.name, whenTime(claim.until))}{' '}
        </span>
      )}
      {mayClaim && (
        <Button tone="bare" onClick={() => void send()}>
          {dialogTexts.claim[deed]}
        </Button>
      )}
    </p>
  );
};

/** The history from its beginning to now; earlier entries are read on request. */
const Timeline = ({ id, detail, names }: { readonly id: string; readonly detail: Detail; readonly names: Names }) => {
  const { http, queries, notices } = useSession();
  const queryKey = keys.item(id);
  const readEarlier = async (): Promise<void> => {
    // An item that is read anew goes back less far afterwards.
    const isReading = ({ state }: Query): boolean => state.fetchStatus === 'fetching';
    await queries.refetchQueries({ queryKey, exact: true, predicate: isReading }, { cancelRefetch: false });
    const cursor = queries.getQueryData<Detail>(queryKey)?.timelineCursor ?? null;
    if (cursor === null) return;
    const earlier = await notices.attempt(() => readTimeline(http, id, cursor));
    if (earlier === null) return;
    const { entries, cursor: next, ...archived } = earlier;
    queries.setQueryData<Detail>(queryKey, (now) =>
      now?.timelineCursor === cursor
        ? { ...now, timeline: [...now.timeline, ...entries], timelineCursor: next, ...archived }
        : now,
    );
  };
  return (
    <section className="timeline" aria-label={inboxTexts.item.timeline}>
      <ArchivedNote before={detail.archivedBefore} />
      {detail.timelineCursor !== null && (
        <Button onClick={() => void readEarlier()}>{uiTexts.earlier.show.events}</Button>
      )}
      {detail.timeline.toReversed().map((entry) => (
        <TimelineEntry key={entry.id} entry={entry} names={names} />
      ))}
    </section>
  );
};

const Side = ({ item, detail, onRun }: ItemActionsProps & Pick<HeadProps, 'item'>) => (
  <aside className="side">
    <ItemActions detail={detail} onRun={onRun} />
    {detail.linked.length > 0 && (
      <section>
        <h2>{inboxTexts.item.linked}</h2>
        {detail.linked.map(({ resource, id, title, subtitle }) => (
          <p key={`${resource}/${id}`}>
            <RecordLink resource={resource} id={id} title={title} />
            {subtitle !== null && <Aside> {subtitle}</Aside>}
          </p>
        ))}
      </section>
    )}
    {detail.triage !== null && detail.triage.answers.length > 0 && (
      <section>
        <h2>{inboxTexts.item.triage}</h2>
        {detail.triage.answers.map(({ question, answer }) => (
          <p key={question} dir="auto">
            <span className="soft">{question}</span> {typeof answer === 'string' ? answer : JSON.stringify(answer)}
          </p>
        ))}
      </section>
    )}
    <section>
      <h2>{inboxTexts.item.item}</h2>
      <p>{inboxTexts.item.firstSeen(<Ago isInSentence at={item.firstSeen} />)}</p>
      <p>{inboxTexts.item.activity(<Ago isInSentence at={item.lastSeen} />)}</p>
      <p className="mono">{item.id}</p>
      <AuditLink about={{ target: item.id }} />
    </section>
  </aside>
);

export const ItemDetail = (props: ItemDetailProps) => {
  const { id, inboxes, names, commands, writing, onWriting, input, onBack, onTag } = props;
  const session = useSession();
  const item = useItem(session.items, id);
  const { data: detail, error, refetch } = useQuery({ ...itemQuery(session, id) });
  const [isWhole, setWhole] = useState(false);
  const { open, sheet } = useActionSheet();
  const inbox = inboxes.find(({ name }) => name === item?.inbox);
  const isGone = error instanceof ApiError && error.status === 404;
  if (error !== null && (isGone || detail === undefined))
    return (
      <div className="detail">
        <Back onClick={onBack}>{uiTexts.back}</Back>
        <Problem error={error} gone={inboxTexts.item.gone} onRetry={() => void refetch()} />
      </div>
    );
  if (item === undefined || inbox === undefined)
    return (
      <div className="detail">
        <Skeleton rows={6} />
      </div>
    );
  return (
    <div className="detail">
      <header className="detail-head">
        <Back onClick={onBack}>{uiTexts.back}</Back>
        <h1 dir="auto" className={isWhole ? '' : 'clamped'}>
          {item.title}
        </h1>
        {item.title.length > titleShown && (
          <Button tone="bare" className="whole" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? inboxTexts.item.foldTitle : inboxTexts.item.wholeTitle}
          </Button>
        )}
        <Facts item={item} inboxes={inboxes} names={names} commands={commands} onTag={onTag} />
        <ClaimLine item={item} mayClaim={commands.may('claim') && kindOf(inboxes, item) !== 'closed'} />
        <Deeds item={item} inboxes={inboxes} commands={commands} />
      </header>
      <div className="detail-body" tabIndex={-1}>
        {detail === undefined ? (
          <Skeleton rows={4} />
        ) : (
          <>
            <div className="detail-main">
              {detail.appOffline && <p className="hint">{inboxTexts.item.offline}</p>}
              <Blocks
                blocks={detail.blocks}
                onAction={({ action, record, input }) => open({ action, record, input, item: id })}
              />
              <Timeline id={id} detail={detail} names={names} />
            </div>
            <Side item={item} detail={detail} onRun={open} />
          </>
        )}
      </div>
      <Composer
        item={item}
        inbox={inbox}
        timeline={detail?.timeline}
        me={names.me}
        writing={writing}
        may={commands.may}
        onWriting={onWriting}
        input={input}
      />
      {sheet}
    </div>
  );
};
