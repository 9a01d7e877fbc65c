/** The settings page: links to the sections that the role may see, above the open section, which is loaded when it is opened. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { readAuditSearch } from './audit/filter.ts';
import { readJobsSearch } from './jobs/search.ts';
import { Forbidden } from './settings/Forbidden.tsx';
import { allows, sections, type SectionName, type SectionProps } from './settings/sections.ts';
import { settingsPageTexts } from './settingsPageTexts.ts';
import { useSession } from './shell/session.ts';
import { loadedLater } from './ui/lazy.tsx';
import { Empty, Skeleton } from './ui/Problem.tsx';
import { count } from './ui/time.ts';
import { meQuery } from './wire/queries.ts';
import { waitingLooseningsQuery } from './wire/settingsQueries.ts';
import type { Me } from './wire/types.ts';

type Search = Readonly<Record<string, string>>;

export interface SettingsPageProps {
  /** undefined: the first one of the role. */
  readonly section: string | undefined;
  /** The id of the open agent, role, person or loosening. */
  readonly id: string | undefined;
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
}

const AuditPage = loadedLater(async () => (await import('./audit/AuditPage.tsx')).AuditPage);

const JobsPage = loadedLater(async () => (await import('./jobs/JobsPage.tsx')).JobsPage);

const pages: Readonly<Record<Exclude<SectionName, 'audit' | 'jobs'>, ComponentType<SectionProps>>> = {
  agents: loadedLater<SectionProps>(async () => (await import('./agents/AgentsSection.tsx')).AgentsSection),
  activity: loadedLater<SectionProps>(async () => (await import('./agents/ActivityPage.tsx')).ActivityPage),
  people: loadedLater<SectionProps>(async () => (await import('./people/PeopleSection.tsx')).PeopleSection),
  roles: loadedLater<SectionProps>(async () => (await import('./roles/RolesSection.tsx')).RolesSection),
  'app-keys': loadedLater(async () => (await import('./keys/KeysSection.tsx')).KeysSection),
  environments: loadedLater(async () => (await import('./environments/EnvironmentsSection.tsx')).EnvironmentsSection),
  loosenings: loadedLater(async () => (await import('./loosenings/LooseningsSection.tsx')).LooseningsSection),
  erasures: loadedLater(async () => (await import('./erasures/ErasuresSection.tsx')).ErasuresSection),
  account: loadedLater<SectionProps>(async () => (await import('./account/AccountPage.tsx')).AccountPage),
};

/** Returns whether the role may open the section, or one thing of it: an agent's page needs no right to the list of agents. */
const mayOpen = (me: Me, { name, needs }: (typeof sections)[number], id: string | undefined): boolean =>
  allows(me, needs) || (name === 'agents' && id !== undefined && allows(me, 'audit: see'));

const Section = ({ me, section, id, search, onSearch }: SettingsPageProps & { readonly me: Me }) => {
  const open = sections.find(({ name }) => name === section);
  if (open === undefined) return <Empty title={settingsPageTexts.noSection}>{settingsPageTexts.noSectionAbout}</Empty>;
  if (!mayOpen(me, open, id)) return <Forbidden isPage needs={open.needs ?? ''} />;
  if (open.name === 'audit') return <AuditPage search={readAuditSearch(search)} onSearch={onSearch} />;
  if (open.name === 'jobs') return <JobsPage search={readJobsSearch(search)} onSearch={onSearch} />;
  const Page = pages[open.name];
  return <Page id={id} />;
};

export const SettingsPage = ({ section, ...rest }: SettingsPageProps) => {
  const { http, environment } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const { data: waiting = [] } = useQuery({
    ...waitingLooseningsQuery(http),
    enabled: me !== undefined && allows(me, 'settings: manage'),
  });
  if (me === undefined) return <Skeleton rows={6} />;
  const seen = sections.filter(({ needs }) => allows(me, needs));
  const open = section ?? seen[0]?.name;
  return (
    <div className="settings">
      <nav aria-label={settingsPageTexts.settings}>
        {seen.map(({ name, label }) => (
          <Link
            key={name}
            to="/env/$environment/settings/{-$section}/{-$id}"
            params={{ environment, section: name, id: undefined }}
            search={{}}
            {...(name === open ? { 'aria-current': 'page' } : {})}
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
