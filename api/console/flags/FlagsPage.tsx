/** The flags of the app: what each is now in words, beside the one that is open with everything that decides for whom it is what. */
import { useNavigate } from '@tanstack/react-router';
import { ThingLink } from '../content/links.tsx';
import { legible } from '../content/values.ts';
import { NamedList } from '../lists/NamedList.tsx';
import { mayFlag } from '../shell/rights.ts';
import { useSession, useRead } from '../shell/session.ts';
import { shellTexts } from '../shell/texts.tsx';
import { Ago } from '../ui/marks.tsx';
import { Section, Back } from '../ui/PageParts.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { flagQuery, flagsQuery } from '../wire/appQueries.ts';
import { approvalsQuery } from '../wire/approvalQueries.ts';
import { meQuery } from '../wire/queries.ts';
import type { Approval, Flag } from '../wire/types.ts';
import { FlagEditor } from './FlagEditor.tsx';
import { FlagHistory } from './FlagHistory.tsx';
import { RampSection } from './RampSection.tsx';
import { Rules } from './Rules.tsx';
import { Targets } from './Targets.tsx';
import { flagTexts } from './texts.tsx';
import { TryId } from './TryId.tsx';
import { useFlagChange } from './useFlagChange.tsx';
import { answerText, goingRamp } from './words.ts';

/** Returns the requests for a change of one flag, the oldest first. */
const useFlagRequests = (): ((flag: string) => readonly Approval[]) => {
  const { data = [] } = useRead((http) => ({ ...approvalsQuery(http, 'pending'), retry: false }));
  return (flag) => data.filter((request) => request.flag === flag).toReversed();
};

const texts = flagTexts.waiting;

/** What somebody has asked for of a flag and nobody has decided, with the way to decide it. */
const WaitingChanges = ({ flag }: { readonly flag: string }) => {
  const requests = useFlagRequests()(flag);
  if (requests.length === 0) return null;
  return (
    <Section title={texts.title}>
      <Rows className="flag-rows">
        {requests.map(({ id, sentence, reason, requestedBy, requestedAt }) => (
          <Row key={id}>
            <span dir="auto">
              {texts.asked(requestedBy.name, legible(sentence))}
              {reason !== null && <span className="soft"> · {legible(reason)}</span>}
            </span>
            <span className="soft">
              <Ago at={requestedAt} />
            </span>
            <ThingLink type="approval" id={id}>
              {texts.decide}
            </ThingLink>
          </Row>
        ))}
      </Rows>
    </Section>
  );
};

const ChangedAt = ({ flag: { updatedAt, updatedBy } }: { readonly flag: Flag }) => {
  if (updatedAt === null) return null;
  const when = <Ago isInSentence at={updatedAt} />;
  return <> · {updatedBy === null ? flagTexts.changed(when) : flagTexts.changedBy(when, updatedBy.name)}</>;
};

/** One flag: what it is now in words, its ramp, and everything that decides for whom it is what. */
const FlagDetail = ({ name, onBack }: { readonly name: string; readonly onBack: () => void }) => {
  const { data: flag, error, refetch } = useRead((http) => flagQuery(http, name));
  const { data: me } = useRead(meQuery);
  const { change, dialog } = useFlagChange(name);
  const back = <Back onClick={onBack}>{flagTexts.back}</Back>;
  if (error !== null && flag === undefined)
    return (
      <>
        {back}
        <Problem error={error} onRetry={() => void refetch()} />
      </>
    );
  if (flag === undefined || me === undefined) return <Skeleton rows={6} />;
  const mayChange = mayFlag(me, name, 'change');
  const part = { flag, mayChange, change };
  return (
    <article className="decision flag">
      {back}
      <header>
        <h1>{flag.flag}</h1>
        <p className="flag-answer" role="status">
          {answerText(flag)}
        </p>
        {flag.description !== null && (
          <p className="soft" dir="auto">
            {flag.description}
          </p>
        )}
        <p className="soft">
          {flag.kind}
          <ChangedAt flag={flag} />
          {flag.approval && ` · ${flagTexts.needsApproval}`}
          {flag.danger !== null && ` · ${flagTexts.danger(flag.danger)}`}
          {flag.reasonRequired && ` · ${flagTexts.needsReason}`}
        </p>
        {!mayChange && <p className="soft">{uiTexts.readOnly}</p>}
      </header>
      <WaitingChanges flag={name} />
      {mayChange && <FlagEditor {...part} />}
      {flag.kind === 'boolean' && <RampSection {...part} />}
      <TryId flag={flag} />
      <Targets {...part} />
      <Rules {...part} />
      <FlagHistory {...part} />
      {dialog}
    </article>
  );
};

/** `name`: the one that is open; null: none. */
export const FlagsPage = ({ name }: { readonly name: string | null }) => {
  const { environment } = useSession();
  const navigate = useNavigate();
  const read = useRead(flagsQuery);
  const { data: flags } = read;
  const requestsOf = useFlagRequests();
  const open = (flag: string | null): void =>
    void (flag === null
      ? navigate({ to: '/env/$environment/flags', params: { environment } })
      : navigate({ to: '/env/$environment/flags/$flag', params: { environment, flag }, replace: name !== null }));
  const aboutOf = (flag: Flag): string => {
    const waiting = requestsOf(flag.flag).length;
    return waiting === 0 ? answerText(flag) : flagTexts.waiting.inList(answerText(flag), waiting);
  };
  return (
    <NamedList
      title={shellTexts.places.flags}
      noun="flag"
      rows={flags?.map((flag) => ({
        name: flag.flag,
        title: <span className={goingRamp(flag) === null ? '' : 'moving'}>{flag.flag}</span>,
        about: aboutOf(flag),
        text: `${flag.flag} ${flag.description ?? ''}`,
      }))}
      read={read}
      needs="flag: see"
      emptyText={flagTexts.howTheyCome}
      name={name}
      onOpen={open}
    >
      {name !== null && <FlagDetail key={name} name={name} onBack={() => open(null)} />}
    </NamedList>
  );
};
