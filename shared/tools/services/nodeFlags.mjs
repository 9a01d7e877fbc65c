/**
 * How Node runs the project's programs; package.json and the Dockerfile say the same, as a law holds. The young generation of 64 MB
 * lets an answer die where it was made: in Node's 16 MB, requests that wait for a connection grow old, and what they answer with them.
 */
export const nodeFlags = ['--enable-source-maps', '--max-semi-space-size=64'];
