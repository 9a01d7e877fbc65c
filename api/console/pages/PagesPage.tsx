/** The pages that the app declares: the list beside the one that is open. */
import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import { useActionSheet } from '../actions/useActionSheet.tsx';
import { Blocks } from '../content/Blocks.tsx';
import { toWords } from '../content/values.ts';
import { NamedList } from '../lists/NamedList.tsx';
import { useKeys } from '../shell/keyboard.ts';
import { useSession, useRead } from '../shell/session.ts';
import { shellTexts } from '../shell/texts.tsx';
import { Button } from '../ui/Button.tsx';
import { Label, ProblemText } from '../ui/fields.tsx';
import { Back } from '../ui/PageParts.tsx';
import { Skeleton, Empty, Problem } from '../ui/Problem.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { clockTime } from '../ui/time.ts';
import { ApiError } from '../wire/apiError.ts';
import { pagesQuery, pageQuery } from '../wire/appQueries.ts';
import type { Page } from '../wire/types.ts';
import { pagesTexts } from './texts.ts';

type Params = Readonly<Record<string, string>>;

const ParamsForm = ({ page, params, onParams }: Omit<AppPageProps, 'page' | 'onBack'> & { readonly page: Page }) => {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    onParams(
      Object.fromEntries(
        page.params.flatMap(({ name }) => {
          const value = given.get(name);
          return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [];
        }),
      ),
    );
  };
  return (
    // Another address is another form.
    <form onSubmit={submit} key={JSON.stringify(params)} aria-label={pagesTexts.parameters}>
      {page.params.map(({ name, description, required }) => (
        <label key={name} title={description ?? undefined}>
          <Label words={toWords(name)} isOptional={!required} />
          <input name={name} defaultValue={params[name] ?? ''} required={required} autoComplete="off" dir="auto" />
        </label>
      ))}
      <Button type="submit">{pagesTexts.show}</Button>
    </form>
  );
};

interface AppPageProps {
  /** null: there is none of this name. */
  readonly page: Page | null;
  readonly params: Params;
  readonly onParams: (params: Record<string, string>) => void;
  readonly onBack: () => void;
}

const Filled = ({ page, params, onParams, onBack }: AppPageProps & { readonly page: Page }) => {
  const { open, sheet } = useActionSheet();
  const declared = Object.fromEntries(
    page.params.flatMap(({ name }) => (params[name] === undefined ? [] : [[name, params[name]]])),
  );
  const missing = page.params.filter(({ name, required }) => required && declared[name] === undefined);
  const { data, error, isFetching, isPlaceholderData, refetch } = useRead((http) => ({
    ...pageQuery(http, page.name, declared),
    enabled: missing.length === 0,
    placeholderData: keepPreviousData,
  }));
  const readAnew = (): void => void (missing.length === 0 && refetch());
  useKeys({ l: readAnew });
  let blocks: ReactNode;
  if (missing.length > 0)
    blocks = (
      <Empty title={pagesTexts.missing}>{pagesTexts.missingAbout(missing.map(({ name }) => toWords(name)))}</Empty>
    );
  else if (data === undefined)
    blocks = error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={readAnew} />;
  else if (data.blocks.length === 0) blocks = <Empty title={pagesTexts.noBlocks}>{pagesTexts.noBlocksAbout}</Empty>;
  else
    blocks = (
      <>
        <ProblemText text={error === null ? null : pagesTexts.outdated(error.message, clockTime(data.at))} />
        <div className={`page-blocks ${isPlaceholderData ? 'outdated' : ''}`} aria-busy={isFetching}>
          <Blocks blocks={data.blocks} onAction={({ action, record, input }) => open({ action, record, input })} />
        </div>
      </>
    );
  return (
    <article className="app-page" aria-label={page.label}>
      <header>
        <Back onClick={onBack}>{uiTexts.back}</Back>
        <div className="run-head">
          <h1 dir="auto">{page.label}</h1>
          {data !== undefined && <span className="soft">{pagesTexts.asOf(clockTime(data.at))}</span>}
          <Button onClick={readAnew} disabled={missing.length > 0} shortcut="l">
            {uiTexts.readAgain}
          </Button>
        </div>
        {page.description !== null && (
          <p className="soft" dir="auto">
            {page.description}
          </p>
        )}
        {page.params.length > 0 && <ParamsForm page={page} params={declared} onParams={onParams} />}
      </header>
      {blocks}
      {sheet}
    </article>
  );
};

/** One page of the app: its parameters, its blocks, and how old they are. */
const AppPage = (props: AppPageProps) =>
  props.page === null ? (
    <>
      <Back onClick={props.onBack}>{uiTexts.back}</Back>
      <Problem error={new ApiError(404, 'not_found', pagesTexts.noPage)} />
    </>
  ) : (
    <Filled {...props} page={props.page} />
  );

interface PagesPageProps {
  /** The one that is open; null: none. */
  readonly name: string | null;
  /** Its parameters, from the address. */
  readonly params: Readonly<Record<string, string>>;
}

export const PagesPage = ({ name, params }: PagesPageProps) => {
  const { environment } = useSession();
  const navigate = useNavigate();
  const read = useRead(pagesQuery);
  const { data: pages } = read;
  const open = (page: string | null): void =>
    void (page === null
      ? navigate({ to: '/env/$environment/pages', params: { environment } })
      : navigate({ to: '/env/$environment/pages/$page', params: { environment, page }, replace: name !== null }));
  return (
    <NamedList
      title={shellTexts.places.pages}
      noun="page"
      rows={pages?.map((page) => ({
        name: page.name,
        title: <span dir="auto">{page.label}</span>,
        about: page.description,
        text: `${page.label} ${page.description ?? ''}`,
      }))}
      read={read}
      needs="page: see"
      emptyText={pagesTexts.empty}
      name={name}
      onOpen={open}
    >
      {name !== null &&
        (pages === undefined ? (
          <Skeleton rows={6} />
        ) : (
          <AppPage
            key={name}
            page={pages.find((page) => page.name === name) ?? null}
            params={params}
            onBack={() => open(null)}
            onParams={(next) =>
              void navigate({ to: '/env/$environment/pages/$page', params: { environment, page: name }, search: next })
            }
          />
        ))}
    </NamedList>
  );
};
