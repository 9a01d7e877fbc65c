/** The rules of a flag as sentences in their order; each opens into its editor. Used by FlagDetail. */
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import type { FlagPart } from './part.ts';
import { RuleEditor } from './RuleEditor.tsx';
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
    if (rule !== undefined)
      void put(next.toSpliced(at + by, 0, rule), `rule ${String(at + 1)} is now ${String(at + by + 1)}`);
  };
  const editor = (at: number) => (
    <RuleEditor
      flag={flag}
      at={at}
      rule={rules[at] ?? null}
      onSave={(rule) =>
        put(
          at === rules.length ? [...rules, rule] : rules.with(at, rule),
          `${at === rules.length ? 'new rule' : `rule ${String(at + 1)}`}: when ${conditionText(rule['when'])}, ${ruleText(rule)}`,
        )
      }
      onClose={() => setOpen(null)}
    />
  );
  return (
    <section aria-label="Rules">
      <h2>Rules</h2>
      <p className="soft">Decide after the targets: the first whose condition holds.</p>
      <ol className="flag-rows">
        {rules.map((rule, at) => (
          <li key={at}>
            {open === at ? (
              editor(at)
            ) : (
              <>
                <span dir="auto">
                  {at + 1}. When {conditionText(rule['when'])}: <strong>{ruleText(rule)}</strong>
                </span>
                {mayChange && (
                  <span>
                    {at > 0 && (
                      <Button tone="bare" aria-label={`Move rule ${String(at + 1)} up`} onClick={() => move(at, -1)}>
                        ↑
                      </Button>
                    )}
                    <Button tone="bare" aria-label={`Edit rule ${String(at + 1)}`} onClick={() => setOpen(at)}>
                      Edit
                    </Button>
                    <Button
                      tone="bare"
                      aria-label={`Remove rule ${String(at + 1)}`}
                      onClick={() => void put(rules.toSpliced(at, 1), `rule ${String(at + 1)} removed`)}
                    >
                      Remove
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
          <Button onClick={() => setOpen(rules.length)}>Add a rule</Button>
        </div>
      )}
    </section>
  );
};
