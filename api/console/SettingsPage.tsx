/** The settings page: links to the sections that the role may see, above the open section, which is loaded when it is opened. */
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Forbidden } from './settings/Forbidden.tsx';
import { resourceTexts } from './settings/resourceTexts.ts';
import { allows, isOrdinary, sections, type SectionName, type SectionProps } from './settings/sections.ts';
import { readAuditSearch, readJobsSearch, type SearchProps } from './shell/address.ts';
import { laterTexts } from './shell/laterTexts.ts';
import { useSession, useRead } from './shell/session.ts';
import { shellTexts } from './shell/texts.tsx';
import { loadedLater } from './ui/lazy.tsx';
import { count } from './ui/plural.ts';
import { Empty, Skeleton } from './ui/Problem.tsx';
import { meQuery } from './wire/queries.ts';
import { waitingLooseningsQuery } from './wire/settingsQueries.ts';
import type { Me } from './wire/types.ts';

type Search = Readonly<Record<string, string>>;

interface SettingsPageProps extends SearchProps<Search> {
  /** undefined: the first one of the role. */
  readonly section: string | undefined;
  /** The id of the open agent, role, person or loosening. */
  readonly id: string | undefined;
}

const AuditPage = loadedLater(async () => (await import('./audit/AuditPage.tsx')).AuditPage);

const JobsPage = loadedLater(async () => (await import('./jobs/JobsPage.tsx')).JobsPage);

const ResourceSection = loadedLater(async () => (await import('./settings/ResourceSection.tsx')).ResourceSection);

const pages: Readonly<
  Record<Exclude<SectionName, 'audit' | 'jobs' | keyof typeof resourceTexts>, ComponentType<SectionProps>>
> = {
  agents: loadedLater(async () => (await import('./agents/AgentsSection.tsx')).AgentsSection),
  activity: loadedLater(async () => (await import('./agents/ActivityPage.tsx')).ActivityPage),
  people: loadedLater(async () => (await import('./people/PeopleSection.tsx')).PeopleSection),
  roles: loadedLater(async () => (await import('./roles/RolesSection.tsx')).RolesSection),
  environments: loadedLater(async () => (await import('./environments/EnvironmentsSection.tsx')).EnvironmentsSection),
  loosenings: loadedLater(async () => (await import('./loosenings/LooseningsSection.tsx')).LooseningsSection),
  erasures: loadedLater(async () => (await import('./erasures/ErasuresSection.tsx')).ErasuresSection),
  account: loadedLater(async () => (await import('./account/AccountPage.tsx')).AccountPage),
};

/** Returns whether the role may open the section, or one thing of it: an agent's page needs no right to the list of agents. */
const mayOpen = (me: Me, { name, needs }: (typeof sections)[number], id: string | undefined): boolean =>
  allows(me, needs) || (name === 'agents' && id !== undefined && allows(me, 'audit: see'));

const Section = ({ me, section, id, search, onSearch }: SettingsPageProps & { readonly me: Me }) => {
  const open = sections.find(({ name }) => name === section);
  if (open === undefined)
    return <Empty title={laterTexts.settings.noSection}>{laterTexts.settings.noSectionAbout}</Empty>;
  if (!mayOpen(me, open, id)) return <Forbidden isPage needs={open.needs ?? ''} />;
  if (open.name === 'audit') return <AuditPage search={readAuditSearch(search)} onSearch={onSearch} />;
  if (open.name === 'jobs') return <JobsPage search={readJobsSearch(search)} onSearch={onSearch} />;
  if (isOrdinary(open.name)) return <ResourceSection texts={resourceTexts[open.name]} />;
  const Page = pages[open.name];
  return <Page id={id} />;
};

/** Scrolls a narrow line of sections to the open one. */
const intoSight = (link: HTMLElement | null): void => link?.scrollIntoView({ block: 'nearest', inline: 'center' });

export const SettingsPage = ({ section, ...rest }: SettingsPageProps) => {
  const { environment } = useSession();
  const { data: me } = useRead(meQuery);
  const { data: waiting = [] } = useRead(waitingLooseningsQuery, {
    enabled: me !== undefined && allows(me, 'settings: manage'),
  });
  if (me === undefined) return <Skeleton rows={6} />;
  const seen = sections.filter(({ needs }) => allows(me, needs));
  const open = section ?? seen[0]?.name;
  return (
    <div className="settings">
      <nav aria-label={shellTexts.places.settings}>
        {seen.map(({ name, label }) => (
          <Link
            key={name}
            to="/env/$environment/settings/{-$section}/{-$id}"
            params={{ environment, section: name, id: undefined }}
            search={{}}
            {...(name === open ? { 'aria-current': 'page', ref: intoSight } : {})}
          >
            {label}
            {name === 'loosenings' && waiting.length > 0 && (
              <span className="rail-count call">{count(waiting.length)}</span>
            )}
          </Link>
        ))}
      </nav>
      <Section key={open} {...rest} me={me} section={open} />
    </div>
  );
};
