/**
 * How Node runs the project's programs; package.json and the Dockerfile say the same, as a law holds. The young generation of 64 MB
 * lets an answer die where it was made: in Node's 16 MB, requests that wait for a connection grow old, and what they answer with them.
 * Without source maps: a process would keep 20 to 40 MB of them from the first error on whose stack is looked at.
 */
export const nodeFlags = ['--max-semi-space-size=64'];
