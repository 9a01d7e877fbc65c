/** Reads from the page's own text where the service is reached, and how far its reads may be behind. */

const served = (name: string): string =>
  document.querySelector(`meta[name="console-${name}"]`)?.getAttribute('content') ?? '';

/** Path prefix, when a proxy serves the API below one. */
export const publicBase = served('base').replace(/\/$/, '');

/** ms by which a standby may be behind and still serve reads; 0: none serves. */
export const readLagMs = Number(served('read-lag'));

/** The API gives up by itself before; a request that has no response for so long is over, in ms. */
export const timeLimitMs = 60_000;
