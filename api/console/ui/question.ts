/** Properties of a prompt for one line. Used by Ask.tsx and its dialog. */
export interface AskProps {
  readonly title: string;
  readonly about: string;
  readonly label: string;
  /** The words of the button that submits. */
  readonly deed: string;
  readonly onAnswer: (text: string) => void;
  readonly onClose: () => void;
}
