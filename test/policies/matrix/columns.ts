/** What the rows of the permission matrix, which stand in rows/, are made of. */

/**
 * The columns. `clerk` may do everything in `own`, only see `readOnly` and sees nothing of `hidden`; `none` has a role
 * without grants; `read` is a readonly clerk, `sup` a supervised one; `app` an app key; `pers` a person who is
 * operator; `gone` an agent whose token was revoked; `away` an admin's agent of another environment.
 */
export const personas = [
  'admin',
  'oper',
  'view',
  'clerk',
  'none',
  'read',
  'sup',
  'app',
  'pers',
  'gone',
  'away',
] as const;
export type Persona = (typeof personas)[number];

/**
 * Which inbox, resource, page or action, or item of which inbox, or bulk, run or approval of whom. `else`: of another
 * environment; `no`: that doesn't exist.
 */
export type Thing =
  | 'own'
  | 'readOnly'
  | 'hidden'
  | 'else'
  | 'no'
  | 'clerks'
  | 'admins'
  | 'sups'
  | 'persons'
  | 'bulks'
  | 'served'
  | 'seen'
  | 'free'
  | 'bare'
  | 'asked'
  | 'fresh'
  | 'danger'
  | 'background'
  | '';

/** An endpoint, which may have a parameter or a variant of its body; on what it is called; the status that each persona gets. */
export type Row = readonly [string, Thing, string];
