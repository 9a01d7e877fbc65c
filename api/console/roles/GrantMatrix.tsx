/** All grants of a role: what, by verb. Used by RolePage. */
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { Picker } from '../ui/prompts.tsx';
import { grantedNames, namedKinds, verbsOf, withVerb, type Granted, type NamedKind } from './grants.ts';
import { GrantTable } from './GrantTable.tsx';
import { grantTexts } from './grantTexts.ts';
import type { Declared } from './useDeclared.ts';

interface GrantMatrixProps {
  readonly granted: Granted;
  readonly declared: Readonly<Record<NamedKind, readonly Declared[]>>;
  /** null: they can't be changed. */
  readonly onGranted: ((granted: Granted) => void) | null;
}

/** Of more things of a kind only those have a row that are granted by name. */
const rowsMost = 12;

export const GrantMatrix = ({ granted, declared, onGranted }: GrantMatrixProps) => {
  const [picking, setPicking] = useState<NamedKind | null>(null);
  const namesOf = (kind: NamedKind): readonly string[] => {
    const known = declared[kind].map(({ name }) => name);
    return [...new Set([...(known.length > rowsMost ? [] : known), ...grantedNames(granted, kind)])];
  };
  const labelOf = (kind: NamedKind, name: string): string =>
    declared[kind].find((each) => each.name === name)?.label ?? grantTexts.undeclared(name);
  return (
    <>
      {namedKinds.map((kind) => (
        <div
          className="table grants"
          key={kind}
          tabIndex={0}
          role="region"
          aria-label={grantTexts.grantsOf(grantTexts.kind[kind])}
        >
          <GrantTable
            kind={kind}
            granted={granted}
            onGranted={onGranted}
            rows={[
              { on: `${kind}:*`, label: grantTexts.all[kind] },
              ...namesOf(kind).map((name) => ({ on: `${kind}:${name}`, label: labelOf(kind, name) })),
            ]}
          />
          {onGranted !== null && (
            <Button tone="bare" onClick={() => setPicking(kind)}>
              {grantTexts.byName}
              <span className="hidden"> {grantTexts.kind[kind]}</span>
            </Button>
          )}
        </div>
      ))}
      {(['approvals', 'audit', 'settings'] as const).map((kind) => (
        <div className="table grants" key={kind}>
          <GrantTable
            kind={kind}
            granted={granted}
            onGranted={onGranted}
            rows={[{ on: kind, label: grantTexts.kind[kind] }]}
          />
        </div>
      ))}
      {picking !== null && (
        <Picker
          title={grantTexts.picker(grantTexts.kind[picking])}
          placeholder={grantTexts.pickerHint}
          options={declared[picking].map(({ name, label }) => ({ id: name, label, hint: name }))}
          make={(text) => ({ id: text, label: text, hint: grantTexts.notDeclared })}
          none={grantTexts.pickerNone}
          onPick={({ id }) => onGranted?.(withVerb(granted, `${picking}:${id}`, verbsOf[picking][0], true))}
          onClose={() => setPicking(null)}
        />
      )}
    </>
  );
};
