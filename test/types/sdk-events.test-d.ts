// Compiled, never run: every line below a @ts-expect-error must not compile, all others must.
import { createGatewayClient, type EventGap, type Schemas } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const sure = <T extends true>(): T | undefined => undefined;

// A gap is no event of the contract.
sure<Equal<Extract<Schemas['GatewayEvent']['kind'], 'gap'>, never>>();

export async function events(signal: AbortSignal): Promise<void> {
  const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:1' });
  for await (const event of client.events({ after: 3, signal })) {
    sure<Equal<typeof event, Schemas['GatewayEvent'] | EventGap>>();
    if (event.kind === 'turn_ended') {
      sure<Equal<typeof event.data, Schemas['TurnEndedData']>>();
      // @ts-expect-error a field that only another kind surely has
      const text: string = event.data.request_kind;
      console.log(text);
    }
    if (event.kind === 'gap') sure<Equal<typeof event, EventGap>>();
    // @ts-expect-error a gap has none
    event.seq;
    // @ts-expect-error a kind that does not exist
    event.kind === 'turn_finished';
  }
  for await (const event of client.events({ kinds: ['turn_ended', 'fault'] }))
    sure<Equal<typeof event.kind, 'turn_ended' | 'fault' | 'gap'>>();
  // @ts-expect-error a kind that does not exist
  client.events({ kinds: ['turn_finished'] });
  for await (const event of createHoumaoClient({ baseUrl: 'http://127.0.0.1:1' }).agent('a').gateway.events())
    if (event.kind === 'turn_ended') sure<Equal<typeof event.data, Schemas['TurnEndedData']>>();
}

export async function requests(): Promise<void> {
  const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:1' });
  for await (const request of client.requests({ state: 'failed', pageSize: 10 }))
    sure<Equal<typeof request, Schemas['RequestRecord']>>();
  // @ts-expect-error a state that does not exist
  client.requests({ state: 'waiting' });
  // @ts-expect-error the iterator has the cursor
  client.requests({ cursor: 'x' });
}
