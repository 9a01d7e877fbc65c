/** The name field of a form. Used by the forms of agents, people and app keys. */
import { settingsTexts } from './texts.ts';

interface NameFieldProps {
  readonly name: string;
  readonly placeholder?: string;
  readonly onName: (name: string) => void;
}

export const NameField = ({ name, onName, ...rest }: NameFieldProps) => (
  <label>
    {settingsTexts.name}
    <input
      required
      maxLength={200}
      autoFocus
      autoComplete="off"
      value={name}
      onChange={({ target }) => onName(target.value)}
      {...rest}
    />
  </label>
);
