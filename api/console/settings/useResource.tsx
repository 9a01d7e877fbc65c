/** The dialogs in which a settings resource is made, changed, given a new token and ended. Used by ResourceSection and useAgentChanges. */
import type { QueryKey } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useSession } from '../shell/session.ts';
import { Choice } from '../ui/fields.tsx';
import { Confirm, CredentialDialog, SubmitDialog } from './dialogs.tsx';
import { ResourceForm } from './ResourceForm.tsx';
import type { ResourceDeeds, Thing } from './resourceRow.ts';
import { settingsTexts } from './texts.ts';
import { useSettingsChange } from './useSettingsChange.ts';

const { grace: graceTexts } = settingsTexts;

const hourMs = 3_600_000;

/** Preselected: a token that ends at once stops what still works with it. */
const usualGraceMs = 24 * hourMs;

const graces: readonly (readonly [number, string])[] = [
  [0, graceTexts.none],
  [hourMs, graceTexts.hour],
  [usualGraceMs, graceTexts.day],
  [7 * 24 * hourMs, graceTexts.week],
];

interface RotateDialogProps {
  readonly name: string;
  readonly texts: NonNullable<ResourceDeeds['rotation']>;
  readonly onSubmit: (grace: number) => Promise<void>;
  readonly onClose: () => void;
}

/** The dialog that renews a token, with the time for which the old one works on. */
const RotateDialog = ({ name, texts, onSubmit, onClose }: RotateDialogProps) => {
  const [grace, setGrace] = useState(usualGraceMs);
  return (
    <SubmitDialog
      title={texts.title(name)}
      about={texts.about}
      deed={texts.deed}
      submit={() => onSubmit(grace)}
      onClose={onClose}
    >
      <Choice
        label={texts.old}
        autoFocus
        value={String(grace)}
        options={graces}
        onValue={(ms) => setGrace(Number(ms))}
      />
    </SubmitDialog>
  );
};

type Made = Readonly<Record<string, Thing>> & {
  /** Absent: it is no credential; null: it was shown before. */
  readonly token?: string | null;
  readonly baseUrl?: string;
};

type Deed = 'edit' | 'rotate' | 'end';
type Open =
  | { readonly what: 'new' }
  | { readonly what: Deed; readonly thing: Thing }
  | { readonly what: 'credential' | 'rotated'; readonly made: Made };

export const useResource = (texts: ResourceDeeds, ...touched: readonly QueryKey[]) => {
  const { notices } = useSession();
  const { call, change, dialog } = useSettingsChange(...touched);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const { api, form, rotation, credential, ending } = texts;
  const pathOf = ({ id }: Thing): string => `${api.path}/${id}`;
  const submit = (thing: Thing | null) => async (body: object) => {
    const path = thing === null ? api.path : pathOf(thing);
    const made = await call<Made>({ method: thing === null ? 'POST' : 'PATCH', path, body });
    if (thing === null && made.token !== undefined) return setOpen({ what: 'credential', made });
    close();
    const name = made[api.one]?.name ?? '';
    if (thing === null && texts.made !== undefined) notices.done(texts.made(name));
  };
  const draw = (): ReactNode => {
    if (open === null) return null;
    if ('made' in open) {
      if (credential === undefined) return null;
      const { token, baseUrl = '' } = open.made;
      const name = open.made[api.one]?.name ?? '';
      return (
        <CredentialDialog
          title={(open.what === 'rotated' ? credential.newTitle : credential.title)(name)}
          about={credential.about(name)}
          parts={credential.parts(token ?? credential.shownBefore, baseUrl)}
          onClose={close}
        />
      );
    }
    const thing = open.what === 'new' ? null : open.thing;
    if (thing === null || open.what === 'edit')
      return <ResourceForm draft={api.one} texts={form} thing={thing} onSubmit={submit(thing)} onClose={close} />;
    if (open.what === 'rotate')
      return (
        rotation !== undefined && (
          <RotateDialog
            name={thing.name}
            texts={rotation}
            onSubmit={async (grace) => {
              const path = `${pathOf(thing)}/rotate`;
              setOpen({ what: 'rotated', made: await call<Made>({ method: 'POST', path, body: { grace } }) });
            }}
            onClose={close}
          />
        )
      );
    return (
      <Confirm
        title={ending.title(thing.name)}
        about={ending.about}
        deed={ending.deed(thing.name)}
        onConfirm={() => void change({ method: 'DELETE', path: pathOf(thing) }, ending.done(thing.name))}
        onClose={close}
      />
    );
  };
  return {
    make: () => setOpen({ what: 'new' }),
    open: (what: Deed, thing: Thing) => setOpen({ what, thing }),
    dialog: (
      <>
        {draw()}
        {dialog}
      </>
    ),
  };
};
