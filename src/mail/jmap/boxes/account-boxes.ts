import { Type } from '@sinclair/typebox';
import type { JmapClient } from '../client/jmap-client.js';
import type { MethodAnswers, MethodCall } from '../client/method-calls.js';
import { MailboxesSchema, MailboxTable } from './mailbox-table.js';

const SetSchema = Type.Object({
  created: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Object({ id: Type.String() })), Type.Null()]),
  ),
  notCreated: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
});

const lookId = 'boxes';

/**
 * The boxes of the account as the last answer had them. Who works with one asks for all of them in the same request, so that
 * the next call knows what somebody changed.
 */
export class AccountBoxes {
  readonly #client: JmapClient;
  #table: MailboxTable | null = null;

  constructor(client: JmapClient) {
    this.#client = client;
  }

  /** Goes with a request whose answer {@link note} is given. */
  readonly look: MethodCall = [
    'Mailbox/get',
    { ids: null, properties: ['id', 'name', 'parentId', 'role'] },
    lookId,
  ];

  note(answers: MethodAnswers): MailboxTable {
    this.#table = new MailboxTable(answers.of(this.look, MailboxesSchema).list);
    return this.#table;
  }

  async current(): Promise<MailboxTable> {
    return this.#table ?? this.renewed();
  }

  async renewed(): Promise<MailboxTable> {
    return this.note(await this.#client.call('look', [this.look]));
  }

  /** The id of a box, also of one that somebody made a moment ago; null for one that is not there. */
  async find(box: string): Promise<string | null> {
    const known = (await this.current()).idOf(box);
    return known ?? (await this.renewed()).idOf(box);
  }

  /** The same, made where it is not there. */
  async need(box: string): Promise<string> {
    const known = await this.find(box);
    if (known !== null) return known;
    const table = await this.current();
    const create: MethodCall = ['Mailbox/set', { create: { box: table.creationOf(box) } }, 'make'];
    const answers = await this.#client.call('change', [create, this.look]);
    const { created, notCreated } = answers.of(create, SetSchema);
    // Somebody else may have made it in the same moment.
    const id = created?.box?.id ?? this.note(answers).idOf(box);
    if (id === null) throw answers.refused(`to make the box ${box}`, notCreated?.box);
    this.#table = null;
    return id;
  }
}
