/** A link to a section of the settings, or to one thing of it. Used by their pages. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../shell/session.ts';
import type { SectionName } from './sections.ts';

interface SettingsLinkProps {
  readonly section: SectionName;
  readonly id?: string;
  readonly children: ReactNode;
}

export const SettingsLink = ({ section, id, children }: SettingsLinkProps) => {
  const { environment } = useSession();
  return (
    <Link
      to="/env/$environment/settings/{-$section}/{-$id}"
      params={{ environment, section, id }}
      search={{}}
      activeOptions={{ exact: true }}
      dir="auto"
    >
      {children}
    </Link>
  );
};
