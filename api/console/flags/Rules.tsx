/** The rules of a flag as sentences in their order; each opens into its editor. Used by FlagDetail. */
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import type { FlagPart } from './part.ts';
import { RuleEditor } from './RuleEditor.tsx';
import { ruleTexts } from './ruleTexts.tsx';
import { conditionText, ruleText } from './words.ts';

type Rule = Readonly<Record<string, unknown>>;

export const Rules = ({ flag, mayChange, change }: FlagPart) => {
  /** The place of the rule that is edited; the length of the list: a new one. */
  const [open, setOpen] = useState<number | null>(null);
  const rules: readonly Rule[] = flag.rules;
  const put = (next: readonly Rule[], done: string): Promise<boolean> => change(flag, { rules: next }, done);
  const move = (at: number, by: -1 | 1): void => {
    const next = [...rules];
    const [rule] = next.splice(at, 1);
    if (rule !== undefined) void put(next.toSpliced(at + by, 0, rule), ruleTexts.isMoved(at + 1, at + by + 1));
  };
  const editor = (at: number) => (
    <RuleEditor
      flag={flag}
      at={at}
      rule={rules[at] ?? null}
      onSave={(rule) => {
        const [condition, value] = [conditionText(rule['when']), ruleText(rule)];
        return at === rules.length
          ? put([...rules, rule], ruleTexts.isAdded(condition, value))
          : put(rules.with(at, rule), ruleTexts.isChanged(at + 1, condition, value));
      }}
      onClose={() => setOpen(null)}
    />
  );
  return (
    <section aria-label={ruleTexts.title}>
      <h2>{ruleTexts.title}</h2>
      <p className="soft">{ruleTexts.about}</p>
      <ol className="flag-rows">
        {rules.map((rule, at) => (
          <li key={at}>
            {open === at ? (
              editor(at)
            ) : (
              <>
                <span dir="auto">
                  {ruleTexts.rule(at + 1, conditionText(rule['when']), <strong>{ruleText(rule)}</strong>)}
                </span>
                {mayChange && (
                  <span>
                    {at > 0 && (
                      <Button tone="bare" aria-label={ruleTexts.up(at + 1)} onClick={() => move(at, -1)}>
                        ↑
                      </Button>
                    )}
                    <Button tone="bare" aria-label={ruleTexts.editOf(at + 1)} onClick={() => setOpen(at)}>
                      {ruleTexts.edit}
                    </Button>
                    <Button
                      tone="bare"
                      aria-label={ruleTexts.removeOf(at + 1)}
                      onClick={() => void put(rules.toSpliced(at, 1), ruleTexts.isRemoved(at + 1))}
                    >
                      {ruleTexts.remove}
                    </Button>
                  </span>
                )}
              </>
            )}
          </li>
        ))}
      </ol>
      {open === rules.length && editor(rules.length)}
      {mayChange && open === null && (
        <div className="verdict-buttons">
          <Button onClick={() => setOpen(rules.length)}>{ruleTexts.add}</Button>
        </div>
      )}
    </section>
  );
};
