/** Properties of a picker. Used by Picker.tsx, its dialog and the lists of options. */

export interface Option {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  /** The heading under which it stands with its neighbours of the same. */
  readonly group?: string;
  readonly shortcut?: string;
  /** Whether it holds now. */
  readonly isOn?: boolean;
  readonly why?: string | null;
  /** Whether what it does is dangerous. */
  readonly isDangerous?: boolean;
}

export interface PickerProps {
  readonly title: string;
  readonly placeholder: string;
  readonly options: readonly Option[];
  readonly onPick: (option: Option) => void;
  readonly onClose: () => void;
  /** Makes an option of what was typed; null: nothing can be made of it. */
  readonly make?: (text: string) => Option | null;
  /** Shown when nothing matches. */
  readonly none: string;
  /** Options from elsewhere for the typed text, shown after the matching ones. */
  readonly found?: readonly Option[];
  /** Called with the typed text. */
  readonly onText?: (text: string) => void;
  /** Whether it stays open, for choosing several. */
  readonly stays?: boolean;
}
