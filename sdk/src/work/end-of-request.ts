import type { EndCode } from './end-code.js';

/** A state in which a request goes no further; what a newer server invents is none. */
export type RequestEnd = EndCode & ('completed' | 'failed' | 'coalesced' | 'cancelled');

const requestEnds: readonly string[] = [
  'completed',
  'failed',
  'coalesced',
  'cancelled',
] satisfies RequestEnd[];

export const isRequestEnd = (state: string): state is RequestEnd => requestEnds.includes(state);
