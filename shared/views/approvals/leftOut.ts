/** Finds the members that an action's input leaves out, with their descriptions, for people who decide. Used by currentTargets.ts. */
import type { Approval } from '../../approvals/model.ts';
import type { Definition } from '../../environments/definition.ts';
import { isObject } from '../../platform/core/jsonLimits.ts';

/** Returns the action of a request and its input, or of the bulk that runs it. */
const requestedAction = ({ kind, request }: Approval): { readonly action: string | null; readonly input: unknown } => {
  if (kind === 'action') return request;
  if (kind !== 'bulk') return { action: null, input: null };
  const operation: Readonly<Record<string, unknown>> = request.operation;
  return { action: request.action, input: operation['input'] };
};

/** Returns the absent members with their descriptions, null where a member has none. Returns null when none is absent or the action is no longer declared. */
export const leftOutMembers = (
  { actions }: Pick<Definition, 'actions'>,
  approval: Approval,
): Readonly<Record<string, string | null>> | null => {
  const { action, input } = requestedAction(approval);
  const declared: unknown = actions.get(action ?? '')?.input;
  const properties = isObject(declared) && isObject(declared['properties']) ? declared['properties'] : {};
  const given = isObject(input) ? input : {};
  const left = Object.entries(properties).filter(([name]) => !Object.hasOwn(given, name));
  if (left.length === 0) return null;
  return Object.fromEntries(
    left.map(([name, schema]) => {
      const description = isObject(schema) ? schema['description'] : null;
      return [name, typeof description === 'string' ? description : null];
    }),
  );
};
