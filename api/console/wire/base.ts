/** Where the service is reached. */

/** Path prefix, when a proxy serves the API below one. */
export const publicBase =
  document.querySelector('meta[name="console-base"]')?.getAttribute('content')?.replace(/\/$/, '') ?? '';
