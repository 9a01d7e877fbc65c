/** What is wrong with the field above it. Used by forms of the settings. */

/** `text` null: nothing is. */
export const FieldProblem = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p className="problem" role="alert">
      {text}
    </p>
  );
