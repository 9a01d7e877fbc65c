/** Properties of the palette. Used by Shell.tsx and the palette. */
import type { Me } from '../wire/types.ts';

export interface PaletteProps {
  readonly me: Me;
  readonly onHelp: () => void;
  readonly onSignOut: () => void;
  readonly onClose: () => void;
}
