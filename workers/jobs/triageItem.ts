import { done, type Handler } from '../handler.ts';
export const triageItem: Handler<'triageItem'> = () => Promise.resolve(done());
