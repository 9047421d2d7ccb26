import type { HeadlessDisplay } from '../session/manifest-facts.js';
import type { ToolName } from '../tools/adapter/tool-adapter.js';

/** A mailbox in a folder that agents share. A null field is derived from the agent's name. */
export interface MailboxSettings {
  /** An absolute path; the root is made if there is none. */
  root: string;
  address: string | null;
  principalId: string | null;
  /** An absolute path outside of the root for its boxes; if it is left out, they are in the root. */
  accountFolder?: string | undefined;
}

/** A mailbox on a mail server. A null field is derived from the agent's name. */
export interface ServerMailboxSettings {
  jmapUrl: string;
  managementUrl: string;
  address: string | null;
  principalId: string | null;
  /** The name by which the server knows the agent; null for the address. */
  loginIdentity: string | null;
  /**
   * An absolute path of a file with a `password` or a `bearer_token`, which only its owner can read; null for the file that this
   * host keeps, or makes with the account.
   */
  credentialFile: string | null;
}

/** The fields that the requested and the complete settings of a launch share. Paths are absolute. */
interface LaunchBasics {
  tool: ToolName;
  /** Text of the role, or null. */
  role: string | null;
  model: string | null;
  reasoningLevel: number | null;
  workingDirectory: string;
  /** Further arguments of every turn. */
  toolArguments: readonly string[];
  unattended: boolean;
  /** Whether turns run in a tmux session of the agent; an agent in a terminal always has one. */
  tmux: boolean;
  /** Whether the tool runs in a terminal all the time, instead of running for each turn. */
  terminal: boolean;
  /** Whether the tool also reports prompts and permissions by hooks; only in a terminal. */
  hooks: boolean;
  /** Whether the tool finds the skill for work with other agents. */
  skills: boolean;
  /** A turn that runs longer is ended; null for no limit. */
  turnTimeLimitSeconds: number | null;
  /** The mailbox that the agent gets; null for none. */
  mailbox: MailboxSettings | ServerMailboxSettings | null;
  startup: { kind: 'none' } | { kind: 'last' } | { kind: 'exact'; id: string };
}

/** The requested settings of a launch. A null field is left to the host. */
export interface RequestedLaunch extends LaunchBasics {
  /** Null for the tool's name. */
  name: string | null;
  /** Null for the tool's usual home. */
  homePath: string | null;
  /** Null for the tool's own program; a name without `/` is looked up on the agent's `PATH`. */
  executable: string | null;
  /** Variables of every turn, later ones override earlier ones; null takes the value that is set on this host. */
  variables: readonly { name: string; value: string | null }[];
}

/** The complete and checked settings of a launch. */
export interface LaunchRequest extends LaunchBasics {
  name: string;
  roleName: string;
  homePath: string;
  executable: string;
  /** Variables of every turn. */
  environment: Readonly<Record<string, string>>;
  /** Set for an agent that a server launches; without it, the session has a brain manifest and a role of its own. */
  managed?: ManagedLaunch | undefined;
}

/** The additional settings of an agent that a server launches from an existing brain manifest. */
export interface ManagedLaunch {
  sessionId: string;
  agentId: string;
  /** The address of its server. */
  apiBaseUrl: string;
  brainPath: string;
  /** The folder that contains its role. */
  agentDefinition: string;
  homeVariable: string;
  display: HeadlessDisplay;
}
