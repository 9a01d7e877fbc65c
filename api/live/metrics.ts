/** The metric of live streams in this process. Served by api/app.ts. */
import { Gauge, Registry } from 'prom-client';
import type { Live } from './index.ts';

export const createLiveMetrics = ({ stats }: Pick<Live, 'stats'>): Registry => {
  const registry = new Registry();
  new Gauge({
    name: 'console_live_connections',
    help: 'Sockets of live streams that this process holds, by `state`: current, behind (they read the log), closing.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { sessions, behind, closing } = stats();
      this.set({ state: 'current' }, sessions - behind);
      this.set({ state: 'behind' }, behind);
      this.set({ state: 'closing' }, closing);
    },
  });
  return registry;
};
