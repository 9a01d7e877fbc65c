/** App keys in the settings: the credentials of this environment's app, each shown once. Used by SettingsPage. */
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Confirm } from '../settings/Confirm.tsx';
import { CredentialDialog } from '../settings/CredentialDialog.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ListTable } from '../ui/ListTable.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { Ago } from '../ui/Time.tsx';
import { appKeysQuery, settingsKeys } from '../wire/settingsQueries.ts';
import type { AppKey } from '../wire/types.ts';
import { KeyForm, RotateKey } from './KeyForm.tsx';
import { keyTexts } from './texts.ts';

const { revocation, credential } = keyTexts;

interface MadeKey {
  readonly appKey: AppKey;
  /** null: it was shown before. */
  readonly token: string | null;
  readonly baseUrl: string;
}

type Open =
  | { readonly what: 'new' }
  | { readonly what: 'name' | 'rotate' | 'revoke'; readonly key: AppKey }
  | { readonly what: 'credential' | 'rotated'; readonly made: MadeKey };

const partsOf = ({ token, baseUrl }: MadeKey): readonly (readonly [string, string])[] => {
  const held = token ?? credential.shownBefore;
  return [
    [credential.key, held],
    [credential.address, baseUrl],
    [credential.start, credential.startLine(baseUrl, held)],
    [credential.inProgram, credential.programLine(baseUrl)],
  ];
};

export const KeysSection = () => {
  const { http, environment } = useSession();
  const { data: appKeys, error, refetch } = useQuery(appKeysQuery(http));
  const { call, change, dialog } = useSettingsChange(settingsKeys.appKeys);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const show = (made: MadeKey): void => setOpen({ what: 'credential', made });
  let shown: ReactNode = null;
  if (open?.what === 'new')
    shown = (
      <KeyForm
        appKey={null}
        onSubmit={async (name) => show(await call({ method: 'POST', path: '/settings/app-keys', body: { name } }))}
        onClose={close}
      />
    );
  else if (open?.what === 'name')
    shown = (
      <KeyForm
        appKey={open.key}
        onSubmit={async (name) => {
          await call({ method: 'PATCH', path: `/settings/app-keys/${open.key.id}`, body: { name } });
          close();
        }}
        onClose={close}
      />
    );
  else if (open?.what === 'rotate')
    shown = (
      <RotateKey
        appKey={open.key}
        onSubmit={async (grace) => {
          const path = `/settings/app-keys/${open.key.id}/rotate`;
          setOpen({ what: 'rotated', made: await call({ method: 'POST', path, body: { grace } }) });
        }}
        onClose={close}
      />
    );
  else if (open?.what === 'revoke')
    shown = (
      <Confirm
        title={revocation.title(open.key.name)}
        about={revocation.about}
        deed={revocation.deed(open.key.name)}
        onConfirm={() =>
          void change({ method: 'DELETE', path: `/settings/app-keys/${open.key.id}` }, revocation.done(open.key.name))
        }
        onClose={close}
      />
    );
  else if (open !== null && 'made' in open)
    shown = (
      <CredentialDialog
        title={(open.what === 'rotated' ? credential.newTitle : credential.title)(open.made.appKey.name)}
        about={credential.about}
        parts={partsOf(open.made)}
        onClose={close}
      />
    );
  if (error !== null && appKeys === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column">
      <header className="column-head">
        <div>
          <h1>{keyTexts.title}</h1>
          <p className="soft">{keyTexts.about(environment)}</p>
        </div>
        <Button tone="main" onClick={() => setOpen({ what: 'new' })}>
          {keyTexts.make}
        </Button>
      </header>
      {appKeys === undefined && <Skeleton rows={3} />}
      {appKeys?.length === 0 && <Empty title={keyTexts.none}>{keyTexts.noneAbout}</Empty>}
      {appKeys !== undefined && appKeys.length > 0 && (
        <ListTable label={keyTexts.title} headings={keyTexts.headings} deeds={keyTexts.changes}>
          {appKeys.map((key) => (
            <tr key={key.id}>
              <td dir="auto">{key.name}</td>
              <td className="soft">{key.lastUsedAt === null ? keyTexts.neverUsed : <Ago at={key.lastUsedAt} />}</td>
              <td className="soft">
                <Ago at={key.createdAt} />
              </td>
              <td>
                {(['name', 'rotate', 'revoke'] as const).map((what) => (
                  <Button
                    key={what}
                    tone="bare"
                    aria-label={keyTexts.deeds[what].of(key.name)}
                    onClick={() => setOpen({ what, key })}
                  >
                    {keyTexts.deeds[what].label}
                  </Button>
                ))}
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      {shown}
      {dialog}
    </div>
  );
};
