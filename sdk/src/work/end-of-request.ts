import type { EndCode } from './end-code.js';

/** A state in which a request goes no further; what a newer server invents is none. */
export type RequestEnd = EndCode & ('completed' | 'failed' | 'coalesced' | 'cancelled');

const requestEnds: ReadonlySet<string> = new Set<RequestEnd>([
  'completed',
  'failed',
  'coalesced',
  'cancelled',
]);

export const isRequestEnd = (state: string): state is RequestEnd => requestEnds.has(state);
