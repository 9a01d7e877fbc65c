/** Says that a form begins with what was typed before, which can be discarded. Used by forms with drafts. */
import { Button } from '../ui/Button.tsx';
import { settingsTexts } from './texts.ts';

export const RestoredNote = ({ onDiscard }: { readonly onDiscard: () => void }) => (
  <p className="soft" role="status">
    {settingsTexts.restored}{' '}
    <Button tone="bare" onClick={onDiscard}>
      {settingsTexts.discard}
    </Button>
  </p>
);
