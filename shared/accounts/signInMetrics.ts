/** The metric of refused sign-ins. Counted by accounts.ts and signIn.ts, and by the API for those of a provider. */
import { Counter } from 'prom-client';
import { platformRegistry } from '../platform/log/metrics.ts';

const counter = new Counter({
  name: 'console_sign_in_refused_total',
  help: 'Refused sign-ins, by `reason`: wrong_password, rate_limited, password_off, no_access (not in this environment), and the words for a provider’s.',
  labelNames: ['reason'],
  registers: [platformRegistry],
});

/** Counts a refusal; `reason` is one of the words above or of openId/problems.ts, never what somebody typed. */
export const countRefusedSignIn = (reason: string): void => {
  counter.inc({ reason });
};
