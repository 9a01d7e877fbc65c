/** How the states of jobs look, and what a job is about in a few words. Used by the page of jobs. */
import type { Job } from '../wire/types.ts';
import { jobTexts } from './texts.ts';

type Tone = 'waits' | 'active' | 'failed' | 'unclear' | 'ended';

export const jobTones: Readonly<Record<Job['state'], Tone>> = {
  failed: 'failed',
  stalled: 'unclear',
  delayed: 'waits',
  parked: 'waits',
  inLine: 'waits',
  due: 'ended',
  queued: 'ended',
  running: 'active',
};

/** Returns what a job is about in a few words; without what the role doesn't see its kind. */
export const jobTitle = ({ about, kind }: Pick<Job, 'about' | 'kind'>): string =>
  about?.sentence ?? jobTexts.kind[kind];
