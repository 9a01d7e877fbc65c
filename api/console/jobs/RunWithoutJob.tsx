/** What a run waits for that was looked for by its id and has no job, with a link to it. Used by JobsPage. */
import { Link } from '@tanstack/react-router';
import { useSession } from '../shell/session.ts';
import { Empty } from '../ui/Problem.tsx';
import { jobTexts } from './texts.ts';

export const RunWithoutJob = ({ id, why }: { readonly id: string; readonly why: string }) => {
  const { environment } = useSession();
  return (
    <Empty title={jobTexts.none}>
      <Link to="/env/$environment/runs" params={{ environment }} search={{ run: id }}>
        {id}
      </Link>{' '}
      {why}
    </Empty>
  );
};
