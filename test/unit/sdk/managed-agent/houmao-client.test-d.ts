// Compiled, never run: every line below a @ts-expect-error must not compile, all others must.
import {
  type Agent,
  createHoumaoClient,
  type HoumaoClient,
  type Schemas,
  type SuccessBody,
} from '@houmao/sdk/managed-agent';

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
