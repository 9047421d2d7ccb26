import type { ToolName } from '../tools/tool-name.js';

/** What `agents launch` was told, complete and checked. Paths are absolute. */
export interface LaunchRequest {
  tool: ToolName;
  name: string;
  /** Text of the role, or null. */
  role: string | null;
  roleName: string;
  model: string | null;
  reasoningLevel: number | null;
  workingDirectory: string;
  homePath: string;
  executable: string;
  /** Variables of every turn. */
  environment: Readonly<Record<string, string>>;
  /** Further arguments of every turn. */
  toolArguments: readonly string[];
  unattended: boolean;
  /** Whether turns run in a tmux session of the agent. */
  tmux: boolean;
  /** A turn that runs longer is ended; null for no limit. */
  turnTimeLimitSeconds: number | null;
  startup: { kind: 'none' } | { kind: 'last' } | { kind: 'exact'; id: string };
}
