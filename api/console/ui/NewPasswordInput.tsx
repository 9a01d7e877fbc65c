/** The input of a new password, within the bounds of the API. Used by PasswordForm and PersonForm. */

interface NewPasswordInputProps {
  readonly value: string;
  readonly required: boolean;
  readonly onValue: (value: string) => void;
}

export const NewPasswordInput = ({ value, required, onValue }: NewPasswordInputProps) => (
  <input
    type="password"
    required={required}
    minLength={8}
    maxLength={1_024}
    autoComplete="new-password"
    value={value}
    onChange={({ target }) => onValue(target.value)}
  />
);
