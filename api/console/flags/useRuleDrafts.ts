/** Unsent changes of the rules of one flag, each under the name of the rule as it was when the typing began. Used by Rules. */
import { useRef } from 'react';
import { useSession } from '../shell/session.ts';
import { useDraft } from '../ui/draft.ts';

/** The fields of a rule's form as they are typed. */
export interface RuleDraft {
  /** Empty: the condition is nested, and is edited as JSON. */
  readonly rows: string;
  readonly json: string;
  readonly rollout: string;
  readonly value: string;
  /** The names of the rules that were there when the typing began. */
  readonly base: readonly string[];
}

type RuleDrafts = Readonly<Record<string, RuleDraft>>;

const parsed = (text: string): RuleDrafts => {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the function below wrote
    return text === '' ? {} : (JSON.parse(text) as RuleDrafts);
  } catch {
    return {};
  }
};

/** Returns the drafts by the names of their rules, and the function that keeps one, or forgets it by null. */
export const useRuleDrafts = (flag: string): readonly [RuleDrafts, (name: string, draft: RuleDraft | null) => void] => {
  const { environment } = useSession();
  const [text, setText] = useDraft(`${environment}.rules.${flag}`);
  // An answer clears the draft that was sent, not a later one.
  const newest = useRef(text);
  newest.current = text;
  const keep = (name: string, draft: RuleDraft | null): void => {
    const { [name]: _, ...others } = parsed(newest.current);
    const next: RuleDrafts = draft === null ? others : { ...others, [name]: draft };
    newest.current = Object.keys(next).length === 0 ? '' : JSON.stringify(next);
    setText(newest.current);
  };
  return [parsed(text), keep];
};
