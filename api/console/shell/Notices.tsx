/** The notices at the foot of the page. Used by Shell. */
import { Button } from '../ui/Button.tsx';
import { useKeys } from './keyboard.ts';
import { useNotices } from './notices.ts';
import { useSession } from './session.ts';
import { shellTexts } from './texts.tsx';

export const NoticeList = () => {
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
