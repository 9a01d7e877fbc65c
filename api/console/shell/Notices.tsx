/** The notices at the foot of the page. Used by Shell. */
import { Button } from '../ui/Button.tsx';
import { useNotices } from './notices.ts';
import { useSession } from './session.ts';
import { shellTexts } from './texts.ts';

export const NoticeList = () => {
  const { notices } = useSession();
  const shown = useNotices(notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, tone, text, code, action }) => (
        <div className={`notice ${tone}`} key={id}>
          <span dir="auto">
            {text} {code !== null && <span className="code">{code}</span>}
          </span>
          {action !== null && (
            <Button
              tone="bare"
              onClick={() => {
                notices.dismiss(id);
                action.run();
              }}
              {...(action.key === null ? {} : { shortcut: action.key })}
            >
              {action.label}
            </Button>
          )}
          <button type="button" className="dismiss" aria-label={shellTexts.dismiss} onClick={() => notices.dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
};
