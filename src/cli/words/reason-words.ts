import type { Schemas } from '@houmao/sdk';

/**
 * Why a request waits. Where a command would end that, the command stands in place of the gateway's own route.
 *
 * @param server the flag that leads to the same server, with a blank before it; empty where none is needed
 */
export function reasonWords(
  { code, detail }: Schemas['WaitingReason'],
  name: string,
  server: string,
): string {
  if (code === 'paused')
    return `The queue is paused; let it go on: houmao-mgr agents gateway resume ${name}${server}`;
  if (code === 'reconciliation')
    return `The agent was replaced; settle what waits: houmao-mgr agents gateway reconcile ${name} --adopt${server}`;
  return detail;
}
