import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { createHoumaoClient, type HoumaoClient } from '@houmao/sdk/managed-agent';
import { metadataHeader, metadataText } from '../contract/prompt-metadata.js';
import { type Clock, toSecondStamp } from '../foundation/clock.js';
import { deferred } from '../foundation/concurrency.js';
import { UnusableFile } from '../foundation/faults.js';
import { identify } from '../foundation/processes.js';
import { version } from '../foundation/version.js';
import { CallAnswerer, type OwnServer } from './calls/answerer.js';
import { CallFault, callHost, type FleetAnswer, type FleetCall, wholeBody } from './calls/caller.js';
import type { CommandRecord } from './commands/command.js';
import { CommandBoard } from './commands/command-board.js';
import { type AdmissionAnswer, CommandReceiver } from './commands/command-receiver.js';
import type { ReceivedCommand } from './commands/command-table.js';
import { FleetLink, type FleetSession, type LinkState, stateLine } from './engine/link.js';
import { isEngineFault } from './engine/link-fault.js';
import { credentialsRule, type FleetSettings } from './engine/settings.js';
import { storesMade, watchStores } from './engine/stores.js';
import { EventPublisher } from './events/event-publisher.js';
import { EventReader } from './events/event-reader.js';
import { FleetStore } from './fleet-store.js';
import { AgentCopies } from './hosts/agent-copies.js';
import {
  type AgentCopy,
  type FleetListQuery,
  type FleetPage,
  type HostKnowledge,
  listedInFleet,
} from './hosts/agent-list.js';
import { type AgentPlace, placeOf } from './hosts/agent-place.js';
import { HostBoard } from './hosts/host-board.js';
import { HostLeases } from './hosts/host-leases.js';
import { MailCarrier } from './mail/mail-carrier.js';
import type { MailFolders } from './mail/mail-roots.js';

export interface FleetParts {
  readonly settings: FleetSettings;
  /** The database of this host about its fleet. */
  readonly path: string;
  readonly server: OwnServer;
  readonly clock: Clock;
  random(): number;
  report(line: string): void;
}

/** This host as a member of its fleet: every part of it, made once and closed once. Nothing here is needed without a fleet. */
export class Fleet {
  readonly #parts: FleetParts;
  readonly #store: FleetStore;
  readonly #client: HoumaoClient;
  readonly #link: FleetLink;
  readonly #answerer: CallAnswerer;
  readonly #publisher: EventPublisher;
  readonly #receiver: CommandReceiver;
  readonly #stopping = new AbortController();
  readonly hosts: HostBoard;
  readonly leases: HostLeases;
  readonly agents: AgentCopies;
  readonly commands: CommandBoard;
  readonly events: EventReader;
  readonly #mail: MailCarrier;
  #local: Promise<unknown> | null = null;

  private constructor(parts: FleetParts, store: FleetStore, self: { hostId: string; joinedAtUtc: string }) {
    const { settings, server, clock, report } = parts;
    const { host } = settings;
    this.#parts = parts;
    this.#store = store;
    const { port, token } = server;
    this.#client = createHoumaoClient({ baseUrl: `http://127.0.0.1:${port}`, token });
    this.hosts = new HostBoard({
      own: {
        host,
        host_id: self.hostId,
        address: `${hostname()} (pid ${process.pid}, port ${port})`,
        release: version,
        joined_at_utc: self.joinedAtUtc,
        started_at_utc: toSecondStamp(clock.now()),
      },
      clock,
    });
    this.leases = new HostLeases({
      host,
      hostId: self.hostId,
      holderOf: (name) => this.hosts.find(name),
      clock,
      report: (line) => report(`fleet: ${line}`),
    });
    this.agents = new AgentCopies(host, this.leases);
    const engineNow = (): Date => this.hosts.engineNow();
    this.commands = new CommandBoard(clock, engineNow);
    this.events = new EventReader(clock);
    this.#answerer = new CallAnswerer({ host, server, clock, report });
    const { journal, commands: table, outbox } = store;
    this.#mail = new MailCarrier({
      host,
      process: identify(process.pid) ?? { pid: process.pid, startedAt: '' },
      journal,
      table: store.mail,
      clock,
      hosts: () => this.hosts.others(),
      report: (line) => report(`fleet: ${line}`),
    });
    this.#receiver = new CommandReceiver({
      host,
      journal,
      table,
      board: this.commands,
      clock,
      engineNow,
      admit: (command, signal) => this.#admit(command, signal),
      confirmedAt: (requestId) => outbox.confirmedAt(requestId),
      report,
    });
    this.#publisher = new EventPublisher({
      host,
      journal,
      outbox,
      client: this.#client,
      clock,
      filled: (items) => {
        for (const { event } of items)
          if (event?.kind === 'turn_confirmed' && event.data.request_id != null)
            this.#receiver.delivered(event.data.request_id, event.data.at_utc);
      },
      report,
    });
    this.#link = new FleetLink({
      settings,
      clock,
      random: parts.random,
      work: (session) => this.#work(session),
      changed: (state) => report(stateLine(state, settings)),
    });
  }

  /** @throws {UnusableFile} when the database cannot be used. */
  static async open(parts: FleetParts): Promise<Fleet> {
    const { credentials } = parts.settings;
    const trouble = credentials && credentialsRule(credentials.text);
    if (credentials && trouble !== null)
      throw new UnusableFile(credentials.path, trouble, 'make one with `houmao-mgr fleet credentials`');
    const store = new FleetStore(parts);
    return new Fleet(parts, store, await store.self(parts.clock.now()));
  }

  /** Joins the fleet, and comes back to it whenever the connection is lost. */
  start(mailFolders: MailFolders): void {
    const { signal } = this.#stopping;
    this.#local ??= Promise.all([this.#publisher.fill(signal), this.#mail.follow(mailFolders, signal)]);
    this.#link.start();
  }

  async close(): Promise<void> {
    const { session } = this;
    if (session !== null) await this.hosts.leave(session).catch(() => undefined);
    this.#stopping.abort();
    await this.#link.stop();
    await this.#local;
    this.#answerer.close();
    await this.#store.close();
  }

  get host(): string {
    return this.#parts.settings.host;
  }
  get state(): LinkState {
    return this.#link.state;
  }
  /** The connection, with all that is on it; null while this host is not in the fleet. */
  get session(): FleetSession | null {
    return this.#link.session;
  }
  /** Whether an error is one of NATS, which could not do something or did not answer. */
  isFault(error: unknown): error is Error {
    return isEngineFault(error);
  }
  /** Where NATS is. */
  get address(): string {
    return this.#parts.settings.urls.join(', ');
  }
  /** How many events of this host the fleet does not have yet. */
  get lag(): number {
    return this.#publisher.lag;
  }
  /** How many commands this host has received that are not in the queue of their agent yet. */
  get waitingCommands(): number {
    return this.#store.commands.countOpen();
  }

  /** How many messages wait for other hosts in the mail folders of this one. */
  get waitingMail(): number {
    return this.#mail.waiting;
  }

  /**
   * Lists the agents of all hosts, from what this host knows.
   * @param own those of this host, in any order
   */
  list(own: readonly Omit<AgentCopy, 'version' | 'host'>[], query: FleetListQuery): FleetPage {
    return listedInFleet(this.agents.with(own), query);
  }

  /** Whether the fleet has a host of that name, or an agent of one: what NATS has of hosts may be lost, and is written again. */
  async hasHost(session: FleetSession, host: string): Promise<boolean> {
    return this.agents.others().some((copy) => copy.host === host) || this.hosts.isKnown(session, host);
  }

  /** Says how much is known of a host. */
  knowledgeOf(host: string): HostKnowledge {
    const known = this.hosts.find(host);
    if (host === this.host)
      return { presence: 'online', heardAt: this.#parts.clock.now(), ageMilliseconds: 0 };
    const { heardAt = null, ageMilliseconds = null } = known ?? {};
    return {
      presence: this.session === null ? 'unknown' : (known?.presence ?? 'away'),
      heardAt,
      ageMilliseconds,
    };
  }

  /** Says where an agent is. @param isHere whether this host has one of that name. */
  placeOf(reference: string, isHere: boolean): AgentPlace {
    return placeOf(reference, { own: this.host, isHere, copies: this.agents.others() });
  }

  /** Calls an operation for an agent of another host. @throws {CallFault} */
  call(session: FleetSession, host: string, call: FleetCall): Promise<FleetAnswer> {
    return callHost(session, { from: this.host, host, clock: this.#parts.clock }, call);
  }

  /** Calls an operation for an agent of another host, and reads its whole answer. */
  async ask(
    session: FleetSession,
    host: string,
    call: FleetCall,
  ): Promise<(Pick<FleetAnswer, 'status' | 'headers'> & { body: unknown }) | { fault: CallFault }> {
    try {
      const { status, headers, body } = await this.call(session, host, call);
      return { status, headers, body: JSON.parse((await wholeBody({ body })).toString()) };
    } catch (error) {
      if (error instanceof CallFault) return { fault: error };
      throw error;
    }
  }

  /**
   * Cancels a command; one that its host has in the queue of its agent is cancelled there.
   * @returns its record after that; null for one that is not known.
   */
  async cancel(session: FleetSession, commandId: string, signal: AbortSignal): Promise<CommandRecord | null> {
    const record = await this.commands.cancel(session.commands, commandId);
    if (record?.state !== 'admitted' || record.request_id === null) return record;
    const { host, agent_ref, request_id } = record;
    const path = `/houmao/agents/${encodeURIComponent(`${agent_ref}@${host}`)}/gateway/requests/${request_id}`;
    try {
      const asked = { method: 'DELETE', path, headers: {}, body: new Uint8Array(), signal };
      const answer =
        host === this.host ? await this.#askOwn(path) : (await this.call(session, host, asked)).status;
      if (answer === 200) return this.commands.end(session.commands, record);
      return answer === 409 ? { ...record, state: 'delivered' } : record;
    } catch (error) {
      if (error instanceof CallFault) return record;
      throw error;
    }
  }

  async #askOwn(path: string): Promise<number> {
    const { port, token } = this.#parts.server;
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'DELETE', headers })).status;
  }

  async #work(session: FleetSession): Promise<void> {
    const failed = new AbortController();
    const ended = AbortSignal.any([session.ended, failed.signal]);
    // Each part listens for its end, often at several places; Node would call more than ten a leak.
    setMaxListeners(0, ended);
    const own: FleetSession = { ...session, ended };
    const made = await storesMade(own.manager);
    await this.hosts.claim(own);
    const [hostsKnown, agentsKnown] = [deferred<void>(), deferred<void>()];
    // Before that, a host or an agent that is there would be called unknown.
    void Promise.all([hostsKnown.promise, agentsKnown.promise]).then(() => {
      if (!ended.aborted) session.joined();
    });
    const parts = [
      this.hosts.run(own, hostsKnown.resolve),
      this.leases.run(own),
      this.agents.listen(own, agentsKnown.resolve),
      this.agents.publish(own, this.#client),
      this.#answerer.run(own),
      this.#receiver.run(own),
      this.#publisher.publish(own),
      this.events.listen(own),
      this.#mail.run(own),
      watchStores(own, made, { clock: this.#parts.clock, seconds: () => this.hosts.beatSeconds * 2 }),
    ];
    try {
      await Promise.all(parts);
    } finally {
      // One part that fails ends them all: the next session begins each of them again.
      failed.abort();
      await Promise.allSettled(parts);
    }
  }

  /** Returns why a command is of an epoch that is over; null where it is not. */
  async #newerEpoch(agentRef: string, epoch: number): Promise<string | null> {
    const found = await this.#client.getAgent({ path: { agent_ref: agentRef } }).catch(() => null);
    const lease = found && this.leases.of(found.tracked_agent_id);
    return lease?.kind === 'ours' && epoch < lease.epoch
      ? `agent ${agentRef} was taken over since the prompt was given (epoch ${epoch}, now ${lease.epoch})`
      : null;
  }

  /** Puts a command into the queue of its agent, through this host's own server. */
  async #admit({ message }: ReceivedCommand, signal: AbortSignal): Promise<AdmissionAnswer> {
    const newer =
      message.epoch === undefined ? null : await this.#newerEpoch(message.agent_ref, message.epoch);
    if (newer !== null) return { status: 409, code: 'held_elsewhere', requestId: null, detail: newer };
    const { port, token } = this.#parts.server;
    const answer = await fetch(
      `http://127.0.0.1:${port}/houmao/agents/${encodeURIComponent(message.agent_ref)}/gateway/requests`,
      {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': message.command_id,
          ...(message.metadata && { [metadataHeader]: metadataText(message.metadata) ?? '' }),
        },
        body: JSON.stringify(message.body),
        signal,
      },
    );
    const body = (await answer.json()) as { request_id?: string; detail?: unknown };
    const { detail } = body;
    return {
      status: answer.status,
      code: answer.headers.get('x-houmao-error-code'),
      requestId: body.request_id ?? null,
      detail: detail === undefined ? null : typeof detail === 'string' ? detail : JSON.stringify(detail),
    };
  }
}
