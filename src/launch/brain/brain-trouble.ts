import { LaunchFault, type LaunchTrouble } from '../launch-fault.js';

/** What a launch from a brain manifest asked for and cannot have; whoever asked has words of their own for it. */
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

/** A launch from a brain manifest that is not done; nothing was changed. */
export class BrainLaunchRefused extends LaunchFault {
  override readonly name = 'BrainLaunchRefused';
  readonly trouble: BrainTrouble;

  constructor(trouble: BrainTrouble) {
    super(`The launch was refused: ${trouble.code}.`);
    this.trouble = trouble;
  }
}
