/** The handlers of background jobs as they are while nobody else is at work. */
import { createHandlers } from '../../workers/jobs/index.ts';

export const handlers = createHandlers({ run: (work) => work(), close: () => undefined });
