import type { EndCode } from './end-code.js';

/** A final state of a request; a state of a newer server is none. */
export type RequestEnd = EndCode & ('completed' | 'failed' | 'coalesced' | 'cancelled');

const requestEnds: readonly string[] = [
  'completed',
  'failed',
  'coalesced',
  'cancelled',
] satisfies RequestEnd[];

export const isRequestEnd = (state: string): state is RequestEnd => requestEnds.includes(state);
