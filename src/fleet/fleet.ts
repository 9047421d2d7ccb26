import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { createHoumaoClient, type HoumaoClient } from '@houmao/sdk/managed-agent';
import { type Clock, toSecondStamp } from '../foundation/clock.js';
import { deferred } from '../foundation/concurrency.js';
import { UnusableFile } from '../foundation/faults.js';
import { identify } from '../foundation/processes.js';
import { version } from '../foundation/version.js';
import { CallAnswerer, type OwnServer } from './calls/answerer.js';
import { CallFault, callHost, type FleetAnswer, type FleetCall, wholeBody } from './calls/caller.js';
import { Admission } from './commands/admission.js';
import type { CommandFilter, CommandList, CommandRecord } from './commands/command.js';
import { CommandBoard } from './commands/command-board.js';
import { CommandReceiver } from './commands/command-receiver.js';
import { FleetLink, type FleetSession, type LinkState, stateLine } from './engine/link.js';
import { isEngineFault } from './engine/link-fault.js';
import { certificatesRule, credentialsRule, type FleetSettings } from './engine/settings.js';
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
import { type AgentPlace, namesAlike, placeOf } from './hosts/agent-place.js';
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

/** The answer of a host to a call. */
export type WholeAnswer = Pick<FleetAnswer, 'status' | 'headers'> & { readonly body: unknown };

/** A command that was to be cancelled. */
export interface Cancelled {
  readonly record: CommandRecord;
  /** The answer of its host, which had it as a request and did not cancel it; null where it was not asked, or did. */
  readonly refusal: WholeAnswer | { readonly fault: CallFault } | null;
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
      admission: new Admission(server, this.leases),
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

  /** @throws {UnusableFile} for a file of the settings, or a database, that cannot be used. */
  static async open(parts: FleetParts): Promise<Fleet> {
    const { credentials, ca } = parts.settings;
    const trouble = credentials && credentialsRule(credentials.text);
    if (credentials && trouble !== null)
      throw new UnusableFile(credentials.path, trouble, 'make one with `houmao-mgr fleet credentials`');
    const distrust = ca && certificatesRule(ca.text);
    if (ca && distrust !== null)
      throw new UnusableFile(ca.path, distrust, 'give the certificate of the authority of NATS');
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

  /** Calls an operation for an agent of another host, or of this one, and reads its whole answer. */
  async ask(
    session: FleetSession,
    host: string,
    call: FleetCall,
  ): Promise<WholeAnswer | { fault: CallFault }> {
    try {
      const { status, headers, body } = await this.call(session, host, call);
      return { status, headers, body: JSON.parse((await wholeBody({ body })).toString()) };
    } catch (error) {
      if (error instanceof CallFault) return { fault: error };
      throw error;
    }
  }

  /** Lists commands. @param agent a name of the agent; those given under another of its names are among them */
  listCommands(
    session: FleetSession,
    { host, agent, state, limit }: Omit<CommandFilter, 'agents'> & { agent: string | undefined },
  ): Promise<CommandList> {
    const agents = agent === undefined ? null : namesAlike(agent, host, this.agents.others());
    return this.commands.list(session, { host, agents, state, limit });
  }

  /**
   * Cancels a command; one that its host has in the queue of its agent is cancelled there.
   * @returns its record after that, with what its host answered where that did not cancel it; null for one that is not known.
   */
  async cancel(session: FleetSession, commandId: string, signal: AbortSignal): Promise<Cancelled | null> {
    const record = await this.commands.cancel(session.commands, commandId);
    if (record?.state !== 'admitted' || record.request_id === null)
      return record && { record, refusal: null };
    const { host, agent_ref, request_id } = record;
    const path = `/houmao/agents/${encodeURIComponent(`${agent_ref}@${host}`)}/gateway/requests/${request_id}`;
    const asked = { method: 'DELETE', path, headers: {}, body: new Uint8Array(), signal };
    const answer = await this.ask(session, host, asked);
    if ('fault' in answer || answer.status !== 200) return { record, refusal: answer };
    return { record: await this.commands.end(session.commands, record), refusal: null };
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
}
