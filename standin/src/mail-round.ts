// The work of the stand-in with its mailbox, if HOUMAO_STANDIN_MAIL is set and a prompt names its gateway: every open message of
// the inbox is read, answered once unless it is an answer itself, and archived. A round that ended early is continued by the next
// one: the gateway knows the key of the answer, and lists the messages that are not archived.

/** The time limit for an answer of the gateway, which normally comes at once. */
const answerMilliseconds = 30_000;

interface Message {
  message_ref: string;
  subject: string;
  answered: boolean | null;
  sender: { address: string };
}

/** @returns a description of the work, a line per message, for the end of the answer; '' for a prompt that is not about mail. */
export async function mailRound(prompt: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const gateway = environment.HOUMAO_STANDIN_MAIL ? gatewayIn(prompt) : null;
  if (gateway === null) return '';
  try {
    const open = await ask(gateway, 'list', { box: 'inbox', archived: false });
    const messages: Message[] = (open.messages as Message[]).reverse();
    const lines = [];
    for (const message of messages) lines.push(await workThrough(gateway, message));
    return ['', ...(lines.length === 0 ? ['No mail.'] : lines)].join('\n');
  } catch (error) {
    return `\nThe mailbox cannot be used: ${(error as Error).message}`;
  }
}

/** Returns the address of the gateway in a prompt of the notifier; null for any other prompt. */
export const gatewayIn = (prompt: string): string | null =>
  /^Gateway: `(http:\/\/[^\s`]+)`$/m.exec(prompt)?.[1] ?? null;

async function workThrough(gateway: string, { message_ref, ...mail }: Message): Promise<string> {
  await ask(gateway, 'read', { message_ref });
  const isReply = /^re:/i.test(mail.subject);
  const done = ['read'];
  if (!isReply && mail.answered !== true) done.push(await answer(gateway, message_ref, mail.subject));
  await ask(gateway, 'archive', { message_refs: [message_ref] });
  return `Mail "${mail.subject}" from ${mail.sender.address}: ${[...done, 'archived'].join(', ')}.`;
}

/** Answers a message. A note that takes no replies is refused with 422, and counts as done. */
async function answer(gateway: string, message_ref: string, subject: string): Promise<string> {
  const body = { message_ref, body_content: `The stand-in has read "${subject}" and has nothing to add.` };
  const key = { 'Idempotency-Key': `standin-${message_ref}` };
  const refused = await ask(gateway, 'reply', body, key).then(
    () => false,
    (error) => {
      if (error instanceof Refused && error.status === 422) return true;
      throw error;
    },
  );
  return refused ? 'takes no reply' : 'answered';
}

class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(operation: string, status: number, detail: unknown) {
    super(`${operation} was answered with ${status}: ${JSON.stringify(detail)}`);
    this.status = status;
  }
}

async function ask(
  gateway: string,
  operation: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway}/v1/mail/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerMilliseconds),
  });
  const answered = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Refused(operation, response.status, answered.detail);
  return answered;
}
