/** Marks a label as that of an optional control; hidden from screen readers, to which the control is not `required`. Used by forms. */
import { formTexts } from './formTexts.ts';

export const Optional = () => (
  <span className="soft" aria-hidden>
    {formTexts.optional}
  </span>
);
