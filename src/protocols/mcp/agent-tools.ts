import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { systemClock } from '../../foundation/clock.js';
import { counted } from '../../foundation/text.js';
import { secondRepeats, usualRanking } from '../reminder-ranking.js';
import { agent, key, most, type Tool, tool } from './tool.js';
import { agentLine, dialogLines, fleetText, mailHeading, mailText, reminderLine } from './tool-words.js';
import { type ToolCall, ToolFailure } from './wait-for-work.js';

/** The tools for which agents there are, their screens, their mail and their reminders. */
export const agentTools: readonly Tool[] = [
  tool({
    name: 'list_agents',
    title: 'List agents',
    description:
      'Lists the agents of this host: name, tool, state, queue, the turn that runs. Those that need a person come first.',
    input: z.strictObject({}),
    reads: true,
    run: async (_input, { client, signal }) => {
      const { agents } = await client.getHostOverview({ signal });
      return agents.length === 0 ? 'There are no agents.' : agents.map(agentLine).join('\n');
    },
  }),
  tool({
    name: 'fleet',
    title: 'See the fleet',
    description:
      'Lists the hosts of the fleet that this host is in, and their agents, each by the name (agent@host) that every other tool takes, with its state and the age of that knowledge.',
    input: z.strictObject({
      name: z.string().min(1).optional().describe('Only agents whose name begins like this.'),
      limit: z.number().int().min(1).max(200).default(50).describe('The most agents listed. Default: 50.'),
    }),
    reads: true,
    run: seeFleet,
  }),
  tool({
    name: 'answer_dialog',
    title: 'Answer a question of an agent',
    description:
      'Answers the question that an agent in a terminal asks a person, such as a permission. Read the question, its dialog_id and its choices with screen. Nothing is pressed when another question is shown by then.',
    input: z
      .strictObject({
        agent,
        dialog_id: z.string().min(1).describe('The question, as screen names it.'),
        choose: z.number().int().min(0).max(99).optional().describe('The number of a choice.'),
        keys: z
          .string()
          .min(1)
          .optional()
          .describe('Text and keys instead of a choice, such as "<[Escape]>".'),
      })
      .refine(({ choose, keys }) => (choose === undefined) !== (keys === undefined), {
        error: 'Give either choose or keys.',
      }),
    reads: false,
    run: async ({ agent: ref, dialog_id, choose, keys = '' }, { client, signal }) => {
      const body = choose === undefined ? { dialog_id, keys } : { dialog_id, choose };
      const { outcome, detail, dialog } = await client.agent(ref).gateway.answerDialog({ body, signal });
      return [`${outcome}: ${detail}`, ...(dialog ? dialogLines(dialog) : [])].join('\n');
    },
  }),
  tool({
    name: 'screen',
    title: 'See the screen of an agent',
    description:
      'Shows the screen of an agent that runs in a terminal, as text, and the question that it asks a person, if there is one.',
    input: z.strictObject({ agent }),
    reads: true,
    run: async ({ agent: ref }, { client, signal }) => {
      const { gateway } = client.agent(ref);
      const [{ text, scrolled }, { dialog }] = await Promise.all([
        gateway.getTuiScreen({ signal }),
        gateway.getDialog({ signal }),
      ]);
      const rows = stripVTControlCharacters(text)
        .replace(/[^\S\n]+$/gm, '')
        .trimEnd();
      return [
        ...(dialog ? dialogLines(dialog) : ['It asks nothing.']),
        ...(scrolled ? ['A person scrolls in this terminal: keys go to tmux, not to the agent.'] : []),
        '',
        rows,
      ].join('\n');
    },
  }),
  tool({
    name: 'send_mail',
    title: 'Send mail',
    description:
      'Sends mail from the mailbox of an agent to other agents. It is in their mailboxes when this returns; a notifier wakes those that have one.',
    input: z.strictObject({
      agent: agent.describe('The agent from whose mailbox it is sent.'),
      to: z.array(z.string().min(1)).min(1).describe('Full addresses, such as reviewer@houmao.localhost.'),
      subject: z.string().min(1),
      body: z.string().describe('Markdown.'),
      idempotency_key: key,
    }),
    reads: false,
    run: async ({ agent: ref, to, subject, body, idempotency_key }, { client, signal }) => {
      const { message } = await client.agent(ref).sendAgentMail({
        body: { to, subject, body_content: body },
        ...(idempotency_key !== undefined && { headers: { 'Idempotency-Key': idempotency_key } }),
        signal,
      });
      return `Delivered as ${message.message_ref} to ${to.join(', ')}.`;
    },
  }),
  tool({
    name: 'read_mail',
    title: 'Read mail',
    description:
      'Lists the mail of an agent, the newest first, or shows one message. Listing and showing leave a message unread unless mark_read is true.',
    input: z.strictObject({
      agent,
      message_ref: z
        .string()
        .min(1)
        .optional()
        .describe('The message to show; left out, messages are listed.'),
      box: z.string().min(1).default('inbox').describe('The box to list. Default: inbox.'),
      unread_only: z.boolean().default(false),
      limit: z.number().int().min(1).max(100).default(10).describe('The most messages listed. Default: 10.'),
      mark_read: z.boolean().default(false).describe('Mark the message that is shown as read.'),
      max_characters: most,
    }),
    reads: false,
    run: readMail,
  }),
  tool({
    name: 'remind',
    title: 'Remind an agent',
    description:
      'Has a prompt sent to an agent later, once or again and again. It outlives restarts of the gateway. Give exactly one of in_seconds and at.',
    input: z
      .strictObject({
        agent,
        title: z.string().min(1).describe('A name for people; the agent does not see it.'),
        text: z.string().min(1).describe('The prompt that is sent.'),
        in_seconds: z.number().positive().optional().describe('Seconds from now.'),
        at: z.string().min(1).optional().describe('An ISO 8601 moment, such as 2026-12-01T09:00:00Z.'),
        every_seconds: z.number().positive().optional().describe('Repeat it every so many seconds.'),
        idempotency_key: key,
      })
      .refine((given) => (given.in_seconds === undefined) !== (given.at === undefined), {
        error: 'Give either in_seconds or at.',
      }),
    reads: false,
    run: remind,
  }),
];

interface FleetAsked {
  readonly name?: string | undefined;
  readonly limit: number;
}

async function seeFleet({ name, limit }: FleetAsked, { client, signal }: ToolCall): Promise<string> {
  const status = await client.getFleet({ signal });
  if (status.state === 'none') return 'This host is in no fleet; list_agents has its agents.';
  const query = { scope: 'fleet', limit, ...(name !== undefined && { name }) } as const;
  const [{ hosts }, { agents, next_cursor }] = await Promise.all([
    client.listFleetHosts({ signal }),
    client.listAgents({ query, signal }),
  ]);
  return fleetText(status, hosts, agents, next_cursor != null);
}

interface MailAsked {
  readonly agent: string;
  readonly message_ref?: string | undefined;
  readonly box: string;
  readonly unread_only: boolean;
  readonly limit: number;
  readonly mark_read: boolean;
  readonly max_characters: number;
}

async function readMail(input: MailAsked, { client, signal }: ToolCall): Promise<string> {
  const methods = client.agent(input.agent);
  if (input.message_ref !== undefined) {
    const body = { message_ref: input.message_ref };
    const shown = await (input.mark_read
      ? methods.readAgentMail({ body, signal })
      : methods.peekAgentMail({ body, signal }));
    return mailText(shown.message, input.max_characters);
  }
  const { box, limit } = input;
  const read_state = input.unread_only ? ('unread' as const) : ('any' as const);
  const list = await methods.listAgentMail({ body: { box, limit, read_state }, signal });
  const damaged = list.damaged?.length ?? 0;
  return [
    `${list.address}, ${list.box}: ${counted(list.message_count, 'message')}, ${list.unread_count} unread.`,
    ...list.messages.map(mailHeading),
    ...(damaged > 0 ? [`${counted(damaged, 'message')} cannot be shown: the files are damaged.`] : []),
  ].join('\n');
}

interface ReminderAsked {
  readonly agent: string;
  readonly title: string;
  readonly text: string;
  readonly in_seconds?: number | undefined;
  readonly at?: string | undefined;
  readonly every_seconds?: number | undefined;
  readonly idempotency_key?: string | undefined;
}

async function remind(input: ReminderAsked, { client, signal }: ToolCall): Promise<string> {
  const { in_seconds, at = '', every_seconds, idempotency_key } = input;
  const { gateway } = client.agent(input.agent);
  const when = in_seconds === undefined ? { deliver_at_utc: at } : { start_after_seconds: in_seconds };
  const how =
    every_seconds === undefined
      ? { mode: 'one_off' as const }
      : { mode: 'repeat' as const, interval_seconds: every_seconds };
  const due = in_seconds === undefined ? Date.parse(at) : systemClock.now().getTime() + in_seconds * 1000;
  const { reminders: present } = await gateway.listReminders({ signal });
  const ranking = usualRanking(present, { mode: how.mode, due });
  if (typeof ranking !== 'number')
    throw new ToolFailure(`${secondRepeats(ranking.repeating)} Nothing was added.`);
  const definition = { title: input.title, prompt: input.text, ranking, ...when, ...how };
  const { reminders } = await gateway.createReminders({
    body: { reminders: [definition] },
    query: { keep: true },
    ...(idempotency_key !== undefined && { headers: { 'Idempotency-Key': idempotency_key } }),
    signal,
  });
  return reminders.map(reminderLine).join('\n');
}
