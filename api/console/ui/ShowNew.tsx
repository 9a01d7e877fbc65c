/** The button that shows what came since a list was read; nothing while nothing came. Used by lists that announce what is new. */
import { Button } from './Button.tsx';
import { uiTexts } from './texts.ts';

interface ShowNewProps {
  readonly newCount: number;
  readonly onShow: () => void;
}

export const ShowNew = ({ newCount, onShow }: ShowNewProps) =>
  newCount > 0 && (
    <Button tone="bare" onClick={onShow} shortcut="l">
      {uiTexts.showNew(newCount)}
    </Button>
  );
