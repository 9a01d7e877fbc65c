/** The sample app's triage: rules, and for what no rule decides a look at the item's words and numbers. */
import type { Triage, TriageHandler } from '../../shared/sdk/index.ts';

const topics: readonly (readonly [string, RegExp])[] = [
  ['outage', /\b(down|outage|unreachable|5\d\d errors?)\b/i],
  ['billing', /\b(invoice|charged?|refund|receipt|vat)\b/i],
  ['access', /\b(sign.?in|log.?in|password|sso|locked)\b/i],
];

const support: TriageHandler = ({ item }) => {
  const topic = topics.find(([, words]) =>
    words.test(`${item.title} ${typeof item.fields['body'] === 'string' ? item.fields['body'] : ''}`),
  )?.[0];
  return topic === undefined ? null : { answers: { topic }, tags: [topic] };
};

const signups: TriageHandler = ({ item }) => {
  const risk = item.fields['riskScore'];
  return typeof risk === 'number'
    ? { answers: { risk: risk >= 60 ? 'high' : 'medium' }, ...(risk >= 60 ? { tags: ['check'] } : {}) }
    : null;
};

export const triage: Readonly<Record<string, Triage>> = {
  support: {
    rules: [
      {
        when: { field: 'item.fields.topic', op: 'eq', value: 'spam' },
        answers: { spam: 'yes' },
        close: true,
        tags: ['spam'],
      },
    ],
    answer: support,
  },
  errors: {
    rules: [
      {
        when: {
          any: [
            { field: 'item.fields.message', op: 'startsWith', value: 'ResizeObserver loop' },
            { field: 'item.fields.message', op: 'eq', value: 'Script error.' },
            { field: 'item.fields.type', op: 'in', value: ['AbortError', 'ChunkLoadError', 'NotAllowedError'] },
          ],
        },
        answers: { actionable: 'no' },
        state: 'ignored',
        tags: ['noise'],
      },
    ],
  },
  signups: {
    rules: [
      { when: { field: 'item.fields.riskScore', op: 'lt', value: 12 }, answers: { risk: 'low' }, state: 'accepted' },
      {
        when: { field: 'item.fields.riskScore', op: 'gte', value: 94 },
        answers: { risk: 'fraud' },
        state: 'rejected',
        tags: ['fraud'],
      },
    ],
    answer: signups,
  },
  abuse: {
    rules: [
      {
        when: {
          all: [
            { field: 'item.fields.severity', op: 'eq', value: 'low' },
            { field: 'item.fields.source', op: 'eq', value: 'scanner' },
          ],
        },
        answers: { credible: 'no' },
        close: true,
      },
    ],
  },
};
