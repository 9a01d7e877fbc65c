/** A request that waits, on the page of what waits: its sentence, and the figures that it is about. Used by HomePage. */
import { Link } from '@tanstack/react-router';
import { useSession } from '../shell/session.ts';
import { Ago } from '../ui/Time.tsx';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './requestTexts.tsx';
import { figuresText, useFigures } from './Sums.tsx';
import { useWords } from './useWords.ts';

export const RequestLine = ({ approval }: { readonly approval: Approval }) => {
  const { environment } = useSession();
  const { id, sentence, requestedAt } = approval;
  const leftOut = useWords(approval)
    .leftOutOf()
    .flatMap(({ label, about }) => (about === null ? [] : [requestTexts.isLeftOut(label)]));
  const figures = figuresText([...leftOut, ...useFigures(approval)]);
  return (
    <li>
      <span className="request-line">
        <Link to="/env/$environment/approvals/$id" params={{ environment, id }} dir="auto">
          {sentence}
        </Link>
        {figures !== '' && (
          <span className="soft" dir="auto">
            {figures}
          </span>
        )}
      </span>
      <Ago at={requestedAt} />
    </li>
  );
};
