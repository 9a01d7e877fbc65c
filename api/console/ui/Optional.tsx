/** Says beside a label that nothing has to be given; the control says so itself to those who don't see it. Used by forms. */
export const Optional = () => (
  <span className="soft" aria-hidden>
    optional
  </span>
);
