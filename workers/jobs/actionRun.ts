import { done, type Handler } from '../handler.ts';
export const actionRun: Handler<'actionRun'> = () => Promise.resolve(done());
