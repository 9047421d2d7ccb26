// What the stand-in does with its mailbox when HOUMAO_STANDIN_MAIL is set and a prompt says where its gateway is: every open
// message of the inbox is read, answered once if it is no answer itself, and archived. A round that ended in the middle is
// taken up by the next one: the gateway knows the key of the answer, and lists what is not archived.

/** A gateway answers at once; one that does not is given up. */
const answerMilliseconds = 30_000;

interface Message {
  message_ref: string;
  subject: string;
  answered: boolean | null;
  sender: { address: string };
}

/** @returns what was done, a line per message, for the end of the answer; '' for a prompt that is not about mail. */
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

/** Where a prompt of the notifier says that the mailbox is; null for any other prompt. */
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

/** A note that takes no replies is refused with 422, and is dealt with all the same. */
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
