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
    return `The queue is paused; resume it: houmao-mgr agents gateway resume ${name}${server}`;
  if (code === 'reconciliation')
    return `The agent was replaced; decide what becomes of the waiting requests: houmao-mgr agents gateway reconcile ${name} --adopt${server}`;
  return terminalReason(detail, name, server) ?? detail;
}

/** A sign of a terminal in the gateway's detail, and the sentence for it. The first that is there explains those after it. */
const signs: readonly (readonly [RegExp, (name: string, server: string) => string])[] = [
  [
    /availability='tui_down'/,
    (name) => `its tool has ended in its terminal. Start it again: houmao-mgr agents restart ${name}`,
  ],
  [
    /availability='/,
    (name, server) => `its screen cannot be read now. Look at it: houmao-mgr agents screen ${name}${server}`,
  ],
  [
    /blocked='|self_report='waiting'/,
    (name, server) => `it asks a person something. Answer it: houmao-mgr agents answer ${name}${server}`,
  ],
  [/turn\.phase='active'|self_report='busy'/, () => 'the agent works on something else'],
  [
    /editing_input='yes'/,
    (name, server) =>
      `an unsent draft is in its composer. Send or clear it: houmao-mgr agents keys ${name} '<[C-u]>'${server}`,
  ],
  [/stability\.stable=false/, () => 'the screen is still changing'],
];

/** Null for what says nothing of a terminal. */
function terminalReason(detail: string, name: string, server: string): string | null {
  const [, words] = signs.find(([sign]) => sign.test(detail)) ?? [];
  return words?.(name, server) ?? null;
}
