import { done, type Handler } from '../handler.ts';
export const replySend: Handler<'replySend'> = () => Promise.resolve(done());
