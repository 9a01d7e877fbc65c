/** One flag: what it is now in words, its ramp, and everything that decides for whom it is what. Used by FlagsPage. */
import { useQuery } from '@tanstack/react-query';
import { mayFlag } from '../shell/rights.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { uiTexts } from '../ui/texts.ts';
import { Ago } from '../ui/Time.tsx';
import { flagQuery } from '../wire/flagQueries.ts';
import { meQuery } from '../wire/queries.ts';
import type { Flag } from '../wire/types.ts';
import { FlagEditor } from './FlagEditor.tsx';
import { FlagHistory } from './FlagHistory.tsx';
import { RampSection } from './RampSection.tsx';
import { Rules } from './Rules.tsx';
import { Targets } from './Targets.tsx';
import { flagTexts } from './texts.tsx';
import { TryId } from './TryId.tsx';
import { useFlagChange } from './useFlagChange.tsx';
import { WaitingChanges } from './WaitingChanges.tsx';
import { answerText } from './words.ts';

const ChangedAt = ({ flag: { updatedAt, updatedBy } }: { readonly flag: Flag }) => {
  if (updatedAt === null) return null;
  const when = <Ago isInSentence at={updatedAt} />;
  return <> · {updatedBy === null ? flagTexts.changed(when) : flagTexts.changedBy(when, updatedBy.name)}</>;
};

export const FlagDetail = ({ name, onBack }: { readonly name: string; readonly onBack: () => void }) => {
  const { http } = useSession();
  const { data: flag, error, refetch } = useQuery({ ...flagQuery(http, name) });
  const { data: me } = useQuery(meQuery(http));
  const { change, dialog } = useFlagChange(name);
  const back = (
    <Button className="back" onClick={onBack}>
      {flagTexts.back}
    </Button>
  );
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
