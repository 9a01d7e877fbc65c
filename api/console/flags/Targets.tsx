/** Values by record id: searched, added and removed. Used by FlagsPage. */
import { useMemo, useState } from 'react';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useFormDraft } from '../ui/draft.ts';
import { TextInput, useSubmit } from '../ui/fields.tsx';
import { count } from '../ui/plural.ts';
import { Row, Rows } from '../ui/Rows.tsx';
import { ValueInput, fromInput, toInput } from './inputs.tsx';
import { type FlagPart, targetsOf } from './patch.ts';
import { flagTexts } from './texts.tsx';
import { valueText } from './words.ts';

const texts = flagTexts.targets;

/** So many are drawn; the search finds the others. */
const shownMost = 50;

export const Targets = ({ flag, mayChange, change }: FlagPart) => {
  const { environment } = useSession();
  const [words, setWords] = useState('');
  /** The one that was added last stands first: it may be one of thousands. */
  const [added, setAdded] = useState<string | null>(null);
  const initial = { id: '', value: toInput(flag.kind, flag.kind === 'boolean' ? true : flag.default) };
  const [fields, set, forget] = useFormDraft(`${environment}.target.${flag.flag}`, initial);
  const all = useMemo(() => Object.entries(targetsOf(flag)), [flag]);
  const found = useMemo(() => {
    const wanted = words.trim().toLowerCase();
    const matching = all.filter(([id]) => id.toLowerCase().includes(wanted));
    return [...matching.filter(([id]) => id === added), ...matching.filter(([id]) => id !== added)];
  }, [all, words, added]);
  const value = fromInput(flag.kind, fields.value);
  const id = fields.id.trim();
  const { submit } = useSubmit(async () => {
    if (id === '' || value === undefined) return;
    if (!(await change(flag, { targets: { [id]: value } }, texts.isSet(id, valueText(value))))) return;
    forget();
    setAdded(id);
  });
  return (
    <section aria-label={texts.title}>
      <h2>
        {texts.title} <span className="soft">{all.length > 0 && count(all.length)}</span>
      </h2>
      <p className="soft">{flag.resource === null ? texts.aboutRecords : texts.about(flag.resource)}</p>
      {all.length > 8 && (
        <input
          type="search"
          aria-label={texts.search}
          placeholder={texts.searchHint}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      )}
      <Rows className="flag-rows" total={found.length}>
        {found.slice(0, shownMost).map(([each, of]) => (
          <Row key={each}>
            <span className="mono" dir="auto">
              {each}
            </span>
            <span>{valueText(of)}</span>
            {mayChange && (
              <Button
                tone="bare"
                aria-label={texts.removeOf(each)}
                onClick={() => void change(flag, { targets: { [each]: null } }, texts.isRemoved(each))}
              >
                {texts.remove}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
      {found.length > shownMost && <p className="soft">{texts.more(found.length - shownMost)}</p>}
      {mayChange && (
        <form className="flag-form" aria-label={texts.form} onSubmit={submit}>
          <TextInput
            label={texts.id}
            value={fields.id}
            maxLength={200}
            spellCheck={false}
            onValue={(id) => set({ id })}
          />
          <ValueInput
            kind={flag.kind}
            label={texts.value}
            text={fields.value}
            onText={(text) => set({ value: text })}
          />
          <Button type="submit" disabled={id === '' || value === undefined}>
            {texts.add}
          </Button>
        </form>
      )}
    </section>
  );
};
