/** The rules of a flag as sentences in their order; each opens into its editor. Used by FlagsPage. */
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { Section } from '../ui/PageParts.tsx';
import { type FlagPart, type PatchOf, namesOf, newRule, placeOf, type Rule } from './patch.ts';
import { RuleEditor, useRuleDrafts } from './RuleEditor.tsx';
import { flagTexts } from './texts.tsx';
import { conditionText, ruleText } from './words.ts';

/** Returns the rules after a change of the one at `at`. */
type Edit = (rules: readonly Rule[], at: number) => readonly Rule[];

interface Opened {
  readonly name: string;
  /** The names of the rules that were there. */
  readonly base: readonly string[];
}

interface RuleLineProps {
  readonly rule: Rule;
  readonly at: number;
  readonly mayChange: boolean;
  readonly onUp: () => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

const RuleLine = ({ rule, at, mayChange, onUp, onEdit, onRemove }: RuleLineProps) => (
  <>
    <span dir="auto">
      {flagTexts.rules.rule(at + 1, conditionText(rule['when']), <strong>{ruleText(rule)}</strong>)}
    </span>
    {mayChange && (
      <span>
        {at > 0 && (
          <Button tone="bare" aria-label={flagTexts.rules.up(at + 1)} onClick={onUp}>
            ↑
          </Button>
        )}
        <Button tone="bare" aria-label={flagTexts.rules.editOf(at + 1)} onClick={onEdit}>
          {flagTexts.rules.edit}
        </Button>
        <Button tone="bare" aria-label={flagTexts.rules.removeOf(at + 1)} onClick={onRemove}>
          {flagTexts.rules.remove}
        </Button>
      </span>
    )}
  </>
);

const remove: Edit = (rules, at) => rules.toSpliced(at, 1);

const moveUp: Edit = (rules, at) => {
  const [above, rule] = [rules[at - 1], rules[at]];
  return above === undefined || rule === undefined ? rules : rules.toSpliced(at - 1, 2, rule, above);
};

export const Rules = ({ flag, mayChange, change }: FlagPart) => {
  const [open, setOpen] = useState<Opened | null>(null);
  const [drafts, keepDraft] = useRuleDrafts(flag.flag);
  const { rules } = flag;
  const names = namesOf(rules);
  /** Changes the rule of that name wherever it stands by then; the change is not possible where it is gone. */
  const put = (name: string, edit: Edit, done: string): Promise<boolean> => {
    const patchOf: PatchOf = (now) => {
      const at = namesOf(now.rules).indexOf(name);
      return at < 0 ? null : { rules: edit(now.rules, at) };
    };
    return change(flag, patchOf, done);
  };
  const save = (rule: Rule, replaced: string | null): Promise<boolean> => {
    const [condition, value] = [conditionText(rule['when']), ruleText(rule)];
    if (replaced === null)
      return change(flag, (now) => ({ rules: [...now.rules, rule] }), flagTexts.rules.isAdded(condition, value));
    const done = flagTexts.rules.isChanged(names.indexOf(replaced) + 1, condition, value);
    return put(replaced, (now, at) => now.with(at, rule), done);
  };
  const baseOf = (name: string): readonly string[] => drafts[name]?.base ?? (open?.name === name ? open.base : []);
  /** What somebody else changed or removed while it was edited stays in its place until the person has decided. */
  const contested = [...new Set([...Object.keys(drafts), ...(open === null ? [] : [open.name])])].filter(
    (name) => mayChange && name !== newRule && !names.includes(name),
  );
  const lines = contested.reduce((all, name) => all.toSpliced(placeOf(name, baseOf(name), all), 0, name), names);
  const editor = (name: string) => (
    <RuleEditor
      flag={flag}
      name={name}
      draft={drafts[name]}
      onDraft={(draft) => keepDraft(name, draft)}
      onSave={save}
      onClose={() => setOpen((opened) => (opened?.name === name ? null : opened))}
    />
  );
  const line = (name: string, at: number) => (
    <RuleLine
      rule={rules[at] ?? {}}
      at={at}
      mayChange={mayChange}
      onUp={() => void put(name, moveUp, flagTexts.rules.isMoved(at + 1, at))}
      onEdit={() => setOpen({ name, base: names })}
      onRemove={() => void put(name, remove, flagTexts.rules.isRemoved(at + 1))}
    />
  );
  return (
    <Section title={flagTexts.rules.title}>
      <p className="soft">{flagTexts.rules.about}</p>
      <ol className="flag-rows">
        {lines.map((name) => {
          const at = names.indexOf(name);
          return <li key={name}>{open?.name === name || at < 0 ? editor(name) : line(name, at)}</li>;
        })}
      </ol>
      {open?.name === newRule && editor(newRule)}
      {mayChange && open === null && (
        <div className="verdict-buttons">
          <Button onClick={() => setOpen({ name: newRule, base: names })}>{flagTexts.rules.add}</Button>
        </div>
      )}
    </Section>
  );
};
