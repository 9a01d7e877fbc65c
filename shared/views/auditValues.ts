/** The values of audit entries, without what the role does not see. For audit.ts. */
import type { Access } from '../accounts/access/access.ts';
import type { Caller } from '../accounts/access/principal.ts';
import { redactFlag } from '../flags/model.ts';
import { redactLinked } from '../items/links.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { redactDefinitionChange } from './definitionChange.ts';

type Values = Readonly<Record<string, unknown>>;

/** Returns the declared actions that the role does not see: those on resources that it does not see, and those without a resource that it may not run. */
export const hiddenActions = ({ env, principal: { access } }: Caller): readonly string[] => {
  const isHidden = (name: string, resource: string | null): boolean =>
    resource === null ? !access.sees('action', name) : !access.sees('resource', resource);
  return [...env.definition.actions].flatMap(([name, { resource }]) => (isHidden(name, resource) ? name : []));
};

interface Audited {
  readonly actor: string | null;
  readonly verb: string;
  readonly target_type: string | null;
  readonly target: string | null;
  readonly before: Values | null;
}

/** Returns the values of a change without records that the role doesn't see. */
const redactRecords = (access: Access, values: Values): Values => {
  const { record, operation } = values;
  const linked = redactLinked(access, values);
  const seen = isObject(operation) ? { ...linked, operation: redactLinked(access, operation) } : linked;
  return isObject(record) && !access.sees('resource', String(record['resource'])) ? { ...seen, record: null } : seen;
};

const resourceOf = ({ env }: Caller, flag: string): unknown => env.definition.flags.get(flag)?.resource;

const inboxInText = /"inbox":"([^"]+)"/;

/** Returns whether the line that describes a change of a flag has targets or a guard that the role doesn't see; it is JSON that may be cut. */
const isSummaryHidden = (caller: Caller, flag: string, summary: string): boolean => {
  const { access } = caller.principal;
  const resource = resourceOf(caller, flag);
  if (summary.includes('"targets"') && typeof resource === 'string' && !access.sees('resource', resource)) return true;
  if (!summary.includes('"guard"')) return false;
  const inbox = inboxInText.exec(summary)?.[1];
  return inbox === undefined || !access.sees('inbox', inbox);
};

/** Returns the values of a request for approval; those of a flag's change have its name alone where the role doesn't see all of it. */
const redactRequest = (caller: Caller, values: Values): Values => {
  const { flag, summary } = values;
  return typeof flag === 'string' && typeof summary === 'string' && isSummaryHidden(caller, flag, summary)
    ? { ...values, summary: flag }
    : values;
};

/** Returns the values of a bulk without how many items it has, for a role that does not see every inbox. */
const withoutCounts = ({ total: _, failed: __, ...values }: Values): Values => values;

/** Returns one side of a change, as the role sees it; `other`: the other side. */
export const redactSide = (
  caller: Caller,
  { actor, verb, target_type: type, target }: Audited,
  values: Values | null,
  other: Values | null,
): Values | null => {
  const { env, principal } = caller;
  const { access } = principal;
  if (verb === 'environment.define')
    return redactDefinitionChange({ access, definition: env.definition }, values, other);
  if (values === null) return null;
  if (type === 'flag') return redactFlag(values, access, resourceOf(caller, target ?? ''));
  if (type === 'bulk' && actor !== principal.id && access.namesSeen('inbox') !== null)
    return redactRecords(access, withoutCounts(values));
  return redactRecords(access, type === 'approval' ? redactRequest(caller, values) : values);
};

/** Returns whether the reason of a change may be read: that of a guard, which nobody gave, names its inbox. */
export const isReasonSeen = (
  { principal: { access } }: Caller,
  { verb, target_type: type, before }: Audited,
): boolean =>
  type !== 'flag' || verb === 'flag.change' || before === null || redactFlag(before, access, null) === before;
