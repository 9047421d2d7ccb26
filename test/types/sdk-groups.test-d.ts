// Compiled, never run: every line below a @ts-expect-error must not compile, all others must.
import { createGatewayClient, type OperationId } from '@houmao/sdk';
import { createHoumaoClient, type OperationId as ServerOperationId } from '@houmao/sdk/managed-agent';
import type { gatewayGroups } from '../../sdk/src/core/groups.js';
import type { DocumentedGroups } from '../../sdk/src/generated/gateway/types/methods.js';
import type { DocumentedGroups as ServerGroups } from '../../sdk/src/generated/managed-agent/types/methods.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const sure = <T extends true>(): T | undefined => undefined;
type Grouped<Table> = {
  [Group in keyof Table]: Table[Group][keyof Table[Group]];
}[keyof Table];

const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:1' });
const server = createHoumaoClient({ baseUrl: 'http://127.0.0.1:1' });
const alpha = server.agent('alpha');

// A new operation has to be put into a group, or be named here: these have a method beside the operations, or stand alone.
sure<
  Equal<
    Exclude<OperationId, Grouped<DocumentedGroups>>,
    | ('submitRequest' | 'listRequests' | 'getRequest' | 'cancelRequest' | 'controlPrompt' | 'listEvents')
    | ('getUsage' | 'getHealth' | 'getMetrics' | 'getStatus' | 'getAbout' | 'reconcile')
    | ('getHeadlessState' | 'setNextPromptSession')
  >
>();
type OfGateway = `${string}Gateway${string}` | `${string}Headless${'Detail' | 'Turn' | 'Prompt'}`;
sure<
  Equal<
    Exclude<ServerOperationId, Grouped<ServerGroups> | OfGateway>,
    | ('getHealth' | 'getMetrics' | 'getHostUsage' | 'getHostOverview' | 'listHostEvents' | 'registerLaunch')
    | ('getCurrentInstance' | 'getServerAbout' | 'shutdownServer' | 'getTerminalState' | 'getTerminalHistory')
  >
>();

export async function shortNames() {
  sure<Equal<typeof client.mail.send, typeof client.sendMail>>();
  sure<Equal<typeof server.mail.send, typeof server.sendAgentMail>>();
  sure<Equal<typeof alpha.mail.send, typeof alpha.sendAgentMail>>();
  sure<Equal<typeof alpha.gateway.reminders.create, typeof client.createReminders>>();
  await client.reminders.get({ path: { reminder_id: 'r' } });
  await alpha.turns.get({ path: { turn_id: 't' } });
  // @ts-expect-error a name that the group does not have
  client.mail.fetch;
  // @ts-expect-error a missing argument
  await client.reminders.get();
  // @ts-expect-error mail is the agent's
  alpha.gateway.mail;
  // @ts-expect-error a group of the whole host
  alpha.agents;
}

// A group that the contract has no operation for does not compile, and neither does one that was left out.
export const wrong: (typeof gatewayGroups)[] = [
  // @ts-expect-error no such group, and the others are missing
  { weather: /Weather/ },
];
