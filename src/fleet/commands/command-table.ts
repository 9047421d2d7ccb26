import type { Statement, Store, TableSchema } from '../../storage/store.js';
import type { CommandMessage, CommandRecord, CommandState } from './command.js';

/** The commands that this host has received, in the order of the stream. `reported` is 0 while the fleet does not know the latest. */
export const commandSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS fleet_commands (
  place INTEGER PRIMARY KEY AUTOINCREMENT,
  command_id TEXT NOT NULL UNIQUE,
  agent_ref TEXT NOT NULL,
  message_json TEXT NOT NULL,
  state TEXT NOT NULL,
  admitted_at_utc TEXT,
  request_id TEXT,
  delivered_at_utc TEXT,
  ended_at_utc TEXT,
  detail TEXT,
  reported INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS fleet_command_stream (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  made_at TEXT NOT NULL
);
`,
  indexes: `
CREATE INDEX IF NOT EXISTS fleet_commands_open ON fleet_commands (agent_ref, place) WHERE state IN ('accepted', 'admitting');
CREATE INDEX IF NOT EXISTS fleet_commands_unreported ON fleet_commands (place) WHERE reported = 0;
CREATE INDEX IF NOT EXISTS fleet_commands_requests ON fleet_commands (request_id) WHERE request_id IS NOT NULL;
`,
};

/** The parts of a command that change on its host. */
export type CommandChange = Pick<
  CommandRecord,
  'state' | 'admitted_at_utc' | 'request_id' | 'delivered_at_utc' | 'ended_at_utc' | 'detail'
>;

export interface ReceivedCommand extends CommandChange {
  readonly message: CommandMessage;
}

interface Row {
  message_json: string;
  state: CommandState;
  admitted_at_utc: string | null;
  request_id: string | null;
  delivered_at_utc: string | null;
  ended_at_utc: string | null;
  detail: string | null;
}

const columns =
  'message_json, state, admitted_at_utc, request_id, delivered_at_utc, ended_at_utc, detail' as const;

const fromRow = ({ message_json, ...change }: Row): ReceivedCommand => ({
  ...change,
  message: JSON.parse(message_json) as CommandMessage,
});

/** The table `fleet_commands`, one statement per method. */
export class CommandTable {
  readonly #insert: Statement<[string, string, string]>;
  readonly #find: Statement<[string], Row>;
  readonly #byRequest: Statement<[string], Row>;
  readonly #oldestOpen: Statement<[string], Row>;
  readonly #openAgents: Statement<[], { agent_ref: string }>;
  readonly #countOpen: Statement<[], { count: number }>;
  readonly #unreported: Statement<[number], Row>;
  readonly #change: Statement<(string | null)[]>;
  readonly #reported: Statement<[string, string, string | null]>;
  readonly #reportAgain: Statement<[string]>;
  readonly #stream: Statement<[], { made_at: string }>;
  readonly #putStream: Statement<[string]>;

  constructor(store: Store) {
    this.#insert = store.prepare(
      `INSERT INTO fleet_commands (command_id, agent_ref, message_json, state, reported) VALUES (?, ?, ?, 'accepted', 1)
       ON CONFLICT (command_id) DO NOTHING`,
    );
    this.#find = store.prepare(`SELECT ${columns} FROM fleet_commands WHERE command_id = ?`);
    this.#byRequest = store.prepare(`SELECT ${columns} FROM fleet_commands WHERE request_id = ? LIMIT 1`);
    this.#oldestOpen = store.prepare(
      `SELECT ${columns} FROM fleet_commands WHERE agent_ref = ? AND state IN ('accepted', 'admitting') ORDER BY place LIMIT 1`,
    );
    this.#openAgents = store.prepare(
      `SELECT DISTINCT agent_ref FROM fleet_commands WHERE state IN ('accepted', 'admitting')`,
    );
    this.#countOpen = store.prepare(
      `SELECT COUNT(*) AS count FROM fleet_commands WHERE state IN ('accepted', 'admitting')`,
    );
    this.#unreported = store.prepare(
      `SELECT ${columns} FROM fleet_commands WHERE reported = 0 ORDER BY place LIMIT ?`,
    );
    this.#change = store.prepare(
      `UPDATE fleet_commands SET state = ?, admitted_at_utc = ?, request_id = ?, delivered_at_utc = ?, ended_at_utc = ?, detail = ?,
         reported = 0 WHERE command_id = ?`,
    );
    this.#reported = store.prepare(
      'UPDATE fleet_commands SET reported = 1 WHERE command_id = ? AND state = ? AND detail IS ?',
    );
    this.#reportAgain = store.prepare(
      `UPDATE fleet_commands SET reported = 0 WHERE command_id = ? AND state <> 'accepted'`,
    );
    this.#stream = store.prepare('SELECT made_at FROM fleet_command_stream');
    this.#putStream = store.prepare(
      `INSERT INTO fleet_command_stream (singleton, made_at) VALUES (1, ?)
       ON CONFLICT (singleton) DO UPDATE SET made_at = excluded.made_at`,
    );
  }

  /** Returns when the stream was made from which commands were last taken; null before the first one. */
  streamMadeAt(): string | null {
    return this.#stream.get()?.made_at ?? null;
  }
  putStreamMadeAt(madeAt: string): void {
    this.#putStream.run(madeAt);
  }
  /** @returns false when the command was received before. */
  insert(message: CommandMessage): boolean {
    const { command_id, agent_ref } = message;
    return this.#insert.run(command_id, agent_ref, JSON.stringify(message)).changes === 1;
  }
  find(commandId: string): ReceivedCommand | null {
    return orNull(this.#find.get(commandId));
  }
  /** Returns the command that became a request. */
  findByRequest(requestId: string): ReceivedCommand | null {
    return orNull(this.#byRequest.get(requestId));
  }
  /** Returns the first command for an agent that is not in its queue yet. */
  oldestOpen(agentRef: string): ReceivedCommand | null {
    return orNull(this.#oldestOpen.get(agentRef));
  }
  /** Returns the agents with such commands. */
  openAgents(): string[] {
    return this.#openAgents.all().map(({ agent_ref }) => agent_ref);
  }
  countOpen(): number {
    return this.#countOpen.get()?.count ?? 0;
  }
  /** Returns commands of which the fleet does not know the latest. */
  unreported(limit: number): ReceivedCommand[] {
    return this.#unreported.all(limit).map(fromRow);
  }
  change(commandId: string, change: CommandChange): void {
    const { state, admitted_at_utc, request_id, delivered_at_utc, ended_at_utc, detail } = change;
    this.#change.run(state, admitted_at_utc, request_id, delivered_at_utc, ended_at_utc, detail, commandId);
  }
  /** Has a command be reported once more; one that has not begun is the sender's to report. */
  reportAgain(commandId: string): void {
    this.#reportAgain.run(commandId);
  }
  /** Notes that the fleet knows this state of it. */
  markReported(commandId: string, { state, detail }: Pick<CommandChange, 'state' | 'detail'>): void {
    this.#reported.run(commandId, state, detail);
  }
}

const orNull = (row: Row | undefined): ReceivedCommand | null => (row ? fromRow(row) : null);
