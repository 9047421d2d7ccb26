import type { ServingProcess } from '../../support/serving-process.js';
import type { TestSession } from '../../support/test-session.js';
import type { HostileContract, HostileOperation } from './contract.js';
import type { HostileAnswer } from './stage.js';

/** The attacked program, with an agent behind it. */
export interface Attacked {
  /** Of the agent. */
  readonly session: TestSession;
  /** The program that takes the requests, and is asked for its health and its memory. */
  readonly program: ServingProcess & { readonly paths: { readonly root: string } };
  /** The agent's name in paths; empty where the surface has one agent alone. */
  readonly agent: string;
  /** Ends what runs beside the program, once that has ended. */
  endOthers(): Promise<void>;
}

/** A surface to attack. */
export interface HostileSurface {
  readonly contract: HostileContract;
  /** Operations that would end what is attacked, or its agent. */
  readonly left: readonly string[];
  /** Operations that run a turn for each request that is taken. */
  readonly heavy: readonly string[];
  /** Whether its successes tell places on the disk, by their contract. */
  readonly tellsPlaces: boolean;
  /** Where the operations of the agent's gateway are. */
  readonly gatewayPath: string;
  /** The sign that the agent is well: a path, and what is in its answer. */
  readonly wellness: readonly [path: string, fields: object];
  /** Whether a 5xx is what its contract asks for. */
  readonly mayFail: (operation: HostileOperation, answer: HostileAnswer) => boolean;
  open(environment: NodeJS.ProcessEnv): Promise<Attacked>;
}

/** Refusals of a mailbox as it is now; a refusal of its disk or its databases is a fault. */
const mailboxRefusal =
  /is not a mailbox address|has no (?:active )?mailbox here|goes with archived=false|is not in the mailbox of|is not a message of|attachments\[\d+\]\.path: |destination_box: |a message here begins with/;

export const isMailboxRefusal = ({ status, text }: HostileAnswer): boolean =>
  status === 502 && mailboxRefusal.test(text);
