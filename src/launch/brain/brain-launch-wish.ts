import type { HeadlessDisplay } from '../../session/headless-display.js';
import type { MailboxField } from './brain-trouble.js';

/** What a launch sets of the mailbox that the brain manifest declares, in place of what stands there. */
export type MailboxOverrides = Partial<Record<MailboxField | 'principal_id' | 'address', string | null>>;

/** A headless agent that somebody wants launched from a brain manifest. Null leaves a choice to the manifest. */
export interface BrainLaunchWish {
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
}
