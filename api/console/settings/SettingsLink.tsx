/** The ways to a section of the settings, or to one thing of it: a link, and going there. Used by their pages. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../shell/session.ts';
import type { SectionName } from './sections.ts';

interface SettingsLinkProps {
  readonly section: SectionName;
  /** The one that it leads to; absent: the section. */
  readonly of?: { readonly id: string; readonly name: string };
  /** Absent: the name. */
  readonly children?: ReactNode;
}

export const SettingsLink = ({ section, of, children = of?.name }: SettingsLinkProps) => {
  const { environment } = useSession();
  return (
    <Link
      to="/env/$environment/settings/{-$section}/{-$id}"
      params={{ environment, section, id: of?.id }}
      search={{}}
      activeOptions={{ exact: true }}
      dir="auto"
    >
      {children}
    </Link>
  );
};

/** Returns a function that goes to one thing of a section; undefined: to its list. */
export const useGoTo = (section: SectionName): ((id: string | undefined) => void) => {
  const { environment } = useSession();
  const navigate = useNavigate();
  return (id) =>
    void navigate({ to: '/env/$environment/settings/{-$section}/{-$id}', params: { environment, section, id } });
};
