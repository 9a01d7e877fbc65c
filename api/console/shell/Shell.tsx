/** The frame around every page of an environment: sign-in when nobody is, else rail, page and notices, and the title of the browser's tab. */
import { QueryClient, QueryClientProvider, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { type ComponentType, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useStreamState } from '../live/stream.ts';
import { Button } from '../ui/Button.tsx';
import { adoptDrafts } from '../ui/draft.ts';
import { loadedLater } from '../ui/lazy.tsx';
import { Problem } from '../ui/Problem.tsx';
import { clockTime } from '../ui/time.ts';
import { adoptTimeZone } from '../ui/timeZone.ts';
import { ApiError, isRetried, retryDelay } from '../wire/apiError.ts';
import { noteSignedIn } from '../wire/early.ts';
import { useItem } from '../wire/itemStore.ts';
import { callsOf, countsQuery, inboxesQuery, meQuery, viewsQuery } from '../wire/queries.ts';
import type { Me } from '../wire/types.ts';
import { focusWork, noteFocus, useFocusBack, useFocusHome } from './focus.ts';
import { useKeys } from './keyboard.ts';
import { type Notices, useNotices } from './notices.ts';
import { Rail } from './Rail.tsx';
import { may } from './rights.ts';
import { type Session, SessionContext, createSession, useSession } from './session.ts';
import { tellOtherTabs, useOtherTabs, SignIn } from './SignIn.tsx';
import { shellTexts } from './texts.tsx';
import { adoptTheme } from './theme.ts';

const wordsOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Returns the parts of an address below its environment, decoded. */
const partsOf = (path: string): readonly string[] =>
  path
    .replace(/^.*?\/env\/[^/]+/, '')
    .split('/')
    .filter(Boolean)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });

/** The title of the browser's tab, made of the address and of what is known of what it names. */
const useTitle = (): void => {
  const { http, items, environment } = useSession();
  const { pathname, search: asked } = useLocation();
  const { data: inboxes } = useQuery(inboxesQuery(http));
  const { data: counts } = useQuery(countsQuery(http));
  const search: Readonly<Record<string, unknown>> = asked;
  const item = useItem(items, wordsOf(search['item']) ?? '');
  const known: Readonly<Record<string, string>> = shellTexts.places;
  const [page = '', name] = partsOf(pathname);
  const decidable = callsOf(counts);
  const placeOf = (): readonly string[] => {
    if (page === 'inbox') return [inboxes?.find((each) => each.name === name)?.label ?? name ?? ''];
    const label = known[page] ?? shellTexts.title.noPage;
    if (page === 'approvals' && decidable > 0) return [shellTexts.title.withCount(label, decidable)];
    return name !== undefined && (page === 'flags' || page === 'pages') ? [name, label] : [label];
  };
  const title = [...(item === undefined ? [] : [item.title]), ...placeOf(), environment].join(shellTexts.title.between);
  useEffect(() => {
    document.title = title;
  }, [title]);
};

/** The notices at the foot of the page. */
const NoticeList = () => {
  const { notices } = useSession();
  const shown = useNotices(notices);
  const press = (id: number, run: () => void) => (): void => {
    notices.dismiss(id);
    run();
  };
  /** The newest that waits for a decision. */
  const open = shown.findLast(({ facts }) => facts.length > 0);
  const keyed = (open?.actions ?? []).flatMap(({ key, run }) =>
    key === null || open === undefined ? [] : [[key, press(open.id, run)] as const],
  );
  useKeys(Object.fromEntries(keyed), 'notice');
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, tone, text, code, facts, actions }) => (
        <div className={`notice ${tone}`} key={id} data-code={code ?? undefined}>
          <span dir="auto">{text}</span>
          {facts.length > 0 && (
            <dl>
              {facts.map(([of, fact]) => (
                <div key={of}>
                  <dt>{of}</dt>
                  <dd dir="auto">{fact}</dd>
                </div>
              ))}
            </dl>
          )}
          {actions.map(({ label, key, run }) => (
            <Button key={label} tone="bare" onClick={press(id, run)} {...(key === null ? {} : { shortcut: key })}>
              {label}
            </Button>
          ))}
          <button type="button" className="dismiss" aria-label={shellTexts.dismiss} onClick={() => notices.dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
};

/** Properties of the palette. */
export interface PaletteProps {
  readonly me: Me;
  readonly onHelp: () => void;
  readonly onSignOut: () => void;
  readonly onClose: () => void;
}

/** A word on a role that changes while its page is open: controls come and go with it. */
const useRoleNotice = ({ role }: Me, notices: Notices): void => {
  const known = useRef(role);
  useEffect(() => {
    const before = known.current;
    known.current = role;
    if (JSON.stringify(before) === JSON.stringify(role)) return;
    const text =
      role === null
        ? shellTexts.roleIsNone
        : role.id === before?.id
          ? shellTexts.roleChanged(role.name)
          : shellTexts.roleIs(role.name);
    notices.failed(text);
  }, [role, notices]);
};

const Help = loadedLater<{ readonly onClose: () => void }>(async () => (await import('./HelpDialog.tsx')).HelpDialog);

const IndependenceBanner = loadedLater(async () => (await import('./IndependenceBanner.tsx')).IndependenceBanner, {
  isOptional: true,
});

/** What stands in the frame's place until it is known who is there; index.html shows the same before. */
const Starting = ({ environment }: Pick<ShellProps, 'environment'>) => (
  <div className="frame" aria-hidden>
    <div className="rail">
      <div className="rail-head">
        <strong>{environment}</strong>
      </div>
    </div>
  </div>
);

const OfflineBanner = () => {
  const { appOnline, offlineSince, isOffline, completeAt } = useStreamState(useSession().stream());
  if (isOffline)
    return (
      <p className="banner" role="status">
        {completeAt === null ? shellTexts.unreachable : shellTexts.unreachableSince(clockTime(completeAt))}
      </p>
    );
  if (appOnline !== false) return null;
  return (
    <p className="banner" role="status">
      {offlineSince === null ? shellTexts.offline : shellTexts.offlineSince(clockTime(offlineSince))}
    </p>
  );
};

/** The first stop of the Tab key. */
const SkipLink = () => (
  <a
    className="skip"
    href="#content"
    onClick={(event) => {
      // The address is the page's.
      event.preventDefault();
      focusWork();
    }}
  >
    {shellTexts.skip}
  </a>
);

interface ShellProps {
  readonly environment: string;
  readonly Palette: ComponentType<PaletteProps>;
  /** Reads what the page of the address shows first, while the frame is still to be drawn; what fails, the page reads again. */
  readonly readFirst: (session: Session) => Promise<void>;
}

type FrameProps = Pick<ShellProps, 'Palette'> & Pick<PaletteProps, 'me' | 'onSignOut'>;

const Frame = ({ me, onSignOut, Palette }: FrameProps) => {
  const { notices } = useSession();
  useState(() => adoptTheme(me.preferences));
  adoptTimeZone(me.preferences);
  adoptDrafts(me.principal.id ?? '');
  useRoleNotice(me, notices);
  useFocusHome();
  useFocusBack();
  useTitle();
  const [opened, setOpened] = useState<'help' | 'palette' | null>(null);
  useKeys({
    u: notices.undo,
    '?': () => setOpened('help'),
    g: () => setOpened('palette'),
    'mod+k': () => setOpened('palette'),
  });
  return (
    <div className="frame">
      <SkipLink />
      <Rail me={me} onSearch={() => setOpened('palette')} onSignOut={onSignOut} />
      <main className="page" id="content">
        <div>
          <OfflineBanner />
          {may(me, 'settings', 'manage') && <IndependenceBanner />}
        </div>
        <Outlet />
      </main>
      <NoticeList />
      {opened === 'help' && <Help onClose={() => setOpened(null)} />}
      {opened === 'palette' && (
        <Palette me={me} onHelp={() => setOpened('help')} onSignOut={onSignOut} onClose={() => setOpened(null)} />
      )}
    </div>
  );
};

/** Returns whether somebody else has signed in since the page was drawn: then it is loaded anew, as all of it is the other's. */
const useIsOtherPerson = (me: Me | undefined): boolean => {
  const id = me?.principal.id;
  const [first, setFirst] = useState(id);
  if (first === undefined && id !== undefined) setFirst(id);
  const isOther = first !== undefined && id !== undefined && first !== id;
  useEffect(() => {
    if (isOther) location.reload();
  }, [isOther]);
  return isOther;
};

/** ms that the frame waits for what the page shows first: drawn together they take less than one after the other. */
const readFirstMs = 250;

/** Reads what the page shows first once somebody is signed in; returns whether the frame need not wait for it any more. */
const useReadFirst = (isKnown: boolean, session: Session, readFirst: ShellProps['readFirst']): boolean => {
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    if (!isKnown) return;
    const goOn = (): void => setRead(true);
    const timer = setTimeout(goOn, readFirstMs);
    readFirst(session)
      .catch(() => undefined)
      .finally(goOn);
    return () => clearTimeout(timer);
  }, [isKnown, readFirst, session]);
  return isRead;
};

const Environment = ({ environment, Palette, readFirst }: ShellProps) => {
  const queries = useQueryClient();
  const [isOver, setOver] = useState(false);
  const session = useMemo(() => {
    const end = (): void => {
      noteFocus();
      setOver(true);
    };
    return createSession(environment, queries, end);
  }, [environment, queries]);
  useEffect(() => () => session.close(), [session]);
  const { data: me, error, refetch } = useQuery({ ...meQuery(session.http), retry: false, enabled: !isOver });
  const first = useQueries({
    queries: [inboxesQuery(session.http), viewsQuery(session.http), countsQuery(session.http)].map((query) => ({
      ...query,
      enabled: me !== undefined,
    })),
  });
  const isSignedOut = isOver || (error instanceof ApiError && error.status === 401);
  const isKnown = me !== undefined;
  useEffect(() => {
    if (isKnown || isSignedOut) noteSignedIn(!isSignedOut);
  }, [isKnown, isSignedOut]);
  const isRead = useReadFirst(isKnown, session, readFirst);
  useEffect(() => {
    if (me === undefined) document.title = shellTexts.pageTitle(environment);
  }, [environment, me]);
  const begin = useCallback((): void => {
    setOver(false);
    void queries.invalidateQueries();
    void refetch();
  }, [queries, refetch]);
  useOtherTabs(begin);
  const isOther = useIsOtherPerson(me);
  const signOut = async (): Promise<void> => {
    const answer = await session.notices.attempt(() => session.http.call('POST', '/sign-out', { body: {} }));
    if (answer === null) return;
    tellOtherTabs();
    location.reload();
  };
  if (isSignedOut) return <SignIn environment={environment} isAgain={me !== undefined} onDone={begin} />;
  if (me === undefined && error !== null) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  // Together they are one drawing of the page, and mostly here already (first.ts); what fails once is not waited for.
  const isComplete = first.every(({ isPending, failureCount }) => !isPending || failureCount > 0);
  if (me === undefined || !isComplete || !isRead || isOther) return <Starting environment={environment} />;
  return (
    <SessionContext value={session}>
      <Frame me={me} onSignOut={() => void signOut()} Palette={Palette} />
    </SessionContext>
  );
};

/** The environments share nothing but the page: each has a memory of its own. */
export const Shell = (props: ShellProps) => {
  const { environment } = props;
  const queries = useMemo(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: { refetchOnWindowFocus: false, retry: isRetried, retryDelay, networkMode: 'always' },
        },
      }),
    [environment],
  );
  return (
    <QueryClientProvider client={queries}>
      <Environment key={environment} {...props} />
    </QueryClientProvider>
  );
};
