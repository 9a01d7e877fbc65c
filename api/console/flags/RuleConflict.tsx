/** What stands in the place of a rule that somebody else changed or removed while it was edited, beside what was typed. Used by RuleEditor. */
import { ruleTexts } from './ruleTexts.tsx';

const texts = ruleTexts.conflict;

interface RuleConflictProps {
  /** In words, as `mine`; null: nothing stands in its place. */
  readonly theirs: string | null;
  /** null: it is not complete yet. */
  readonly mine: string | null;
}

export const RuleConflict = ({ theirs, mine }: RuleConflictProps) => (
  <div>
    <p className="hint" role="alert">
      {texts.about}
    </p>
    <dl className="fields">
      <div>
        <dt>{texts.theirs}</dt>
        <dd dir="auto">{theirs ?? texts.isGone}</dd>
      </div>
      {mine !== null && (
        <div>
          <dt>{texts.mine}</dt>
          <dd dir="auto">{mine}</dd>
        </div>
      )}
    </dl>
  </div>
);
