/** All grants of a role: a table for each kind of things, a row for each thing, a column for each verb. Used by RolePage. */
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { Picker } from '../ui/lazy.tsx';
import {
  grantedNames,
  namedKinds,
  verbsOf,
  withVerb,
  type Granted,
  type NamedKind,
  impliedBy,
  isGranted,
  type Kind,
} from './grants.ts';
import { roleTexts } from './texts.ts';
import type { Declared } from './useDeclared.ts';

interface GrantTableProps {
  readonly kind: Kind;
  /** The things that can be granted, with their labels. */
  readonly rows: readonly { readonly on: string; readonly label: string }[];
  readonly granted: Granted;
  /** null: they can't be changed. */
  readonly onGranted: ((granted: Granted) => void) | null;
}

/** Returns a verb of the API, or the word for all of them. */
const verbText = (verb: string): string => (verb === '*' ? roleTexts.grants.everything : verb);

/** The grants on one kind of things: a row for each thing, a column for each verb. */
const GrantTable = ({ kind, rows, granted, onGranted }: GrantTableProps) => {
  const verbs: readonly string[] = verbsOf[kind].length > 1 ? [...verbsOf[kind], '*'] : verbsOf[kind];
  return (
    <table aria-label={roleTexts.grants.kind[kind]}>
      <thead>
        <tr>
          <th>{roleTexts.grants.kind[kind]}</th>
          {verbs.map((verb) => (
            <th key={verb}>{verbText(verb)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ on, label }) => (
          <tr key={on}>
            <th scope="row" dir="auto">
              {label}
            </th>
            {verbs.map((verb) => {
              const why = impliedBy(granted, on, verb);
              return (
                <td key={verb} title={why === null ? undefined : roleTexts.grants.implied[why]}>
                  <label>
                    <input
                      type="checkbox"
                      aria-label={roleTexts.grants.grant(verbText(verb), label)}
                      checked={why !== null || isGranted(granted, on, verb)}
                      disabled={why !== null || onGranted === null}
                      onChange={({ target }) => onGranted?.(withVerb(granted, on, verb, target.checked))}
                    />
                  </label>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

export interface GrantMatrixProps extends Pick<GrantTableProps, 'granted' | 'onGranted'> {
  readonly declared: Readonly<Record<NamedKind, readonly Declared[]>>;
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
    declared[kind].find((each) => each.name === name)?.label ?? roleTexts.grants.undeclared(name);
  return (
    <>
      {namedKinds.map((kind) => (
        <div
          className="table grants"
          key={kind}
          tabIndex={0}
          role="region"
          aria-label={roleTexts.grants.grantsOf(roleTexts.grants.kind[kind])}
        >
          <GrantTable
            kind={kind}
            granted={granted}
            onGranted={onGranted}
            rows={[
              { on: `${kind}:*`, label: roleTexts.grants.all[kind] },
              ...namesOf(kind).map((name) => ({ on: `${kind}:${name}`, label: labelOf(kind, name) })),
            ]}
          />
          {onGranted !== null && (
            <Button tone="bare" onClick={() => setPicking(kind)}>
              {roleTexts.grants.byName}
              <span className="hidden"> {roleTexts.grants.kind[kind]}</span>
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
            rows={[{ on: kind, label: roleTexts.grants.kind[kind] }]}
          />
        </div>
      ))}
      {picking !== null && (
        <Picker
          title={roleTexts.grants.picker(roleTexts.grants.kind[picking])}
          placeholder={roleTexts.grants.pickerHint}
          options={declared[picking].map(({ name, label }) => ({ id: name, label, hint: name }))}
          make={(text) => ({ id: text, label: text, hint: roleTexts.grants.notDeclared })}
          none={roleTexts.grants.pickerNone}
          onPick={({ id }) => onGranted?.(withVerb(granted, `${picking}:${id}`, verbsOf[picking][0], true))}
          onClose={() => setPicking(null)}
        />
      )}
    </>
  );
};
