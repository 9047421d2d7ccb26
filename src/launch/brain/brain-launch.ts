import type { HeadlessDisplay } from '../../session/manifest-facts.js';
import { LaunchFault, type LaunchTrouble } from '../launch-fault.js';

/** The settings of a launch that replace those of the mailbox that the brain manifest declares. */
export type MailboxOverrides = Partial<Record<MailboxField | 'principal_id' | 'address', string | null>>;

/** The requested settings of a headless agent that is launched from a brain manifest. A null field is left to the manifest. */
export interface RequestedBrainLaunch {
  tool: string;
  /** Absolute, or below `~`, as all paths here. */
  workingDirectory: string;
  agentDefinition: string;
  brainPath: string;
  roleName: string;
  agentName: string | null;
  agentId: string | null;
  display: HeadlessDisplay;
  mailbox: MailboxOverrides | null;
  /** Whether the tool finds the skill for work with other agents; left out for no. */
  skills?: true | undefined;
}

/** The reason why a launch from a brain manifest is refused; each caller describes it in its own terms. */
export type BrainTrouble =
  | { code: 'working_directory'; rule: FolderRule }
  | { code: 'agent_definition'; rule: FolderRule }
  | { code: 'brain_file'; rule: 'absolute' | 'file' | 'size' }
  /** `reason` names the field of the manifest and its rule. */
  | { code: 'brain_manifest'; reason: string }
  | { code: 'role_name' }
  | { code: 'role_missing' }
  | { code: 'tool_differs'; asked: string; declared: string }
  | { code: 'tool_unknown'; tool: string; known: readonly string[] }
  | { code: 'agent_name'; rule: string }
  | { code: 'agent_id' }
  | { code: 'environment_file'; reason: string }
  | { code: 'mailbox_field'; field: MailboxField; rule: string }
  | { code: 'launch'; trouble: LaunchTrouble };

export type FolderRule = 'absolute' | 'folder';
export type MailboxField =
  | 'transport'
  | 'filesystem_root'
  | 'stalwart_base_url'
  | 'stalwart_jmap_url'
  | 'stalwart_management_url'
  | 'stalwart_login_identity';

/** A launch from a brain manifest was refused; nothing was changed. */
export class BrainLaunchRefused extends LaunchFault {
  override readonly name = 'BrainLaunchRefused';
  readonly trouble: BrainTrouble;

  constructor(trouble: BrainTrouble) {
    super(`The launch was refused: ${trouble.code}.`);
    this.trouble = trouble;
  }
}
