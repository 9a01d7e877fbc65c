/**
 * Bulks of actions: until the app link is there none can be run, so only what stands before running is answered here,
 * in the order of `POST /actions`.
 */
import { fault, invalid } from '../catalogue/errors.ts';
import type { Caller } from '../agents/principal.ts';
import type { ActionOperation } from './schema.ts';

/** Always throws: what stands in the way of this caller, or that actions can't be run yet. */
export const refuseAction = ({ env, principal }: Caller, { action: name, confirmed }: ActionOperation): never => {
  const action = (env.definition.manifest.actions ?? []).find((declared) => declared.name === name);
  const resource = action?.resource ?? null;
  if (action === undefined || (resource !== null && !principal.access.sees('resource', resource))) throw fault('not_found');
  if (!principal.access.can('action', name, 'run')) throw resource === null ? fault('not_found') : fault('forbidden', `Your role may not run ${name}.`);
  if (action.freshSignIn === true && principal.type !== 'person') throw fault('fresh_sign_in_required');
  if (resource === null) throw invalid('operation.action', `${name} takes no record, so it can’t be run on items`);
  const danger = action.danger ?? null;
  if (danger !== null && confirmed !== true) {
    throw fault('confirmation_required', undefined, { details: [{ path: 'operation.confirmed', message: `danger: ${danger}` }] });
  }
  throw fault('conflict', 'Actions can’t be run yet.');
};
