// Compiled, never run: every line below a @ts-expect-error must not compile, all others must.
import { createGatewayClient, type GatewayClient, type OperationMethod } from '@houmao/sdk';
import {
  type Agent,
  type AgentMethod,
  type AnyGateway,
  createHoumaoClient,
  type HoumaoClient,
  type Schemas,
  type SuccessBody,
} from '@houmao/sdk/managed-agent';
import type { GatewayOperations } from '../../../../sdk/src/managed-agent/gateway-operations.js';

const client: HoumaoClient = createHoumaoClient({ baseUrl: 'http://127.0.0.1:1' });
const alpha: Agent = client.agent('alpha');

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const sure = <T extends true>(): T | undefined => undefined;

export async function byName() {
  await client.getHealth();
  const state = await client.getAgentState({ path: { agent_ref: 'alpha' } });
  sure<Equal<typeof state, Schemas['AgentState']>>();
  sure<Equal<SuccessBody<'getTurnStdout'>, string>>();
  // @ts-expect-error a missing argument
  await client.getAgentState();
  // @ts-expect-error no such operation
  await client.getWeather();
}

export async function ofAnAgent() {
  sure<Equal<Awaited<ReturnType<typeof alpha.getAgentState>>, Schemas['AgentState']>>();
  await alpha.getAgentState({ timeoutMs: 10 });
  await alpha.getTurn({ path: { turn_id: 't' }, query: { wait_seconds: 60 } });
  await alpha.submitAgentRequest({ body: { request_kind: 'interrupt' } });
  const part: string = await alpha.getTurnStdout({ path: { turn_id: 't' }, headers: { Range: 'bytes=0-9' } });
  const answer: string = await alpha.prompt(part, { onUpdate: ({ delivery }) => delivery.evidence });
  await alpha.turn(answer).answer();
  // @ts-expect-error the agent is filled in
  await alpha.getAgentState({ path: { agent_ref: 'beta' } });
  // @ts-expect-error a missing turn
  await alpha.getTurn();
  // @ts-expect-error a missing body
  await alpha.submitAgentRequest({});
  // @ts-expect-error an operation of no agent
  await alpha.listAgents();
  // @ts-expect-error for gateways alone
  await alpha.runHeadlessPrompt({ body: { prompt: 'x' } });
  // @ts-expect-error a conversation is chosen by createTurn
  await alpha.prompt('x', { chatSession: { mode: 'new' } });
}

export async function ofItsGateway() {
  const { gateway } = alpha;
  await gateway.attach();
  await gateway.attach({ body: { execution_mode: 'detached_process' } });
  sure<Equal<Awaited<ReturnType<typeof gateway.getStatus>>, Schemas['GatewayStatus']>>();
  await gateway.submitRequest({ body: { kind: 'interrupt', payload: {} } });
  await gateway.getRequest({ path: { request_id: 'gwreq-1' } });
  await gateway.detach();
  // @ts-expect-error a missing request
  await gateway.getRequest({});
  // @ts-expect-error mail is not below the gateway
  await gateway.sendMail({});
}

type Different<Name extends keyof GatewayOperations> = {
  [One in Name]: Equal<AgentMethod<GatewayOperations[One]>, OperationMethod<One>> extends true ? never : One;
}[Name];

/** Each door has the methods and handles of the other. */
export async function bothDoors(direct: GatewayClient) {
  sure<Equal<Pick<GatewayClient, keyof AnyGateway>, Pick<typeof alpha.gateway, keyof AnyGateway>>>();
  sure<Equal<Exclude<keyof typeof alpha.gateway, keyof GatewayClient>, 'attach' | 'detach'>>();
  const either: AnyGateway[] = [
    alpha.gateway,
    direct,
    createGatewayClient({ baseUrl: 'http://127.0.0.1:1' }),
  ];
  for (const gateway of either) {
    const handle = await gateway.submit('x', { turnId: 'turn-1' });
    await gateway.request(handle.requestId).answer({ onSilence: ({ error }) => error.detail });
    for await (const event of gateway.events({ kinds: ['turn_ended'] }))
      if (event.kind !== 'gap') sure<Equal<typeof event.data.turn_id, string>>();
  }
  // The server forwards each operation as the gateway has it; a prompt for another host may have a deadline, and is the fleet's at first.
  sure<Equal<Different<keyof GatewayOperations>, 'submitRequest'>>();
  const body = { kind: 'submit_prompt', payload: { prompt: 'x' } } as const;
  const headers = { 'X-Houmao-Deadline': '2026-03-13T12:00:00Z' };
  await client.submitGatewayRequest({ path: { agent_ref: 'alpha@ws1' }, body, headers });
  // @ts-expect-error only the server attaches
  await direct.attach();
}
