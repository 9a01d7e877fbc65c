/** A link to the run, bulk, item, flag or erasure that a job is about. Used by JobRow. */
import { Link } from '@tanstack/react-router';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSession } from '../shell/session.ts';
import type { Job } from '../wire/types.ts';
import { jobTexts } from './texts.ts';

export const JobAbout = ({ job: { about, kind } }: { readonly job: Job }) => {
  const { environment } = useSession();
  if (about === null) return <>{jobTexts.kind[kind]}</>;
  const { type, id, sentence } = about;
  switch (type) {
    case 'run':
      return (
        <Link to="/env/$environment/runs" params={{ environment }} search={{ run: id }}>
          {sentence}
        </Link>
      );
    case 'bulk':
      return (
        <Link to="/env/$environment/bulks/$id" params={{ environment, id }}>
          {sentence}
        </Link>
      );
    case 'item':
      return (
        <Link to="/env/$environment/items" params={{ environment }} search={{ show: 'all', item: id }}>
          {sentence}
        </Link>
      );
    case 'flag':
      return (
        <Link to="/env/$environment/flags/$flag" params={{ environment, flag: id }}>
          {sentence}
        </Link>
      );
    case 'erasure':
      return <SettingsLink section="erasures">{sentence}</SettingsLink>;
    default:
      return <>{sentence}</>;
  }
};
