import { BrainLaunchRefused, type BrainTrouble, type FolderRule } from '../../launch/brain/brain-trouble.js';
import { LaunchFault, LaunchRefused, type LaunchTrouble } from '../../launch/launch-fault.js';
import { TmuxFault } from '../../terminal/tmux-fault.js';

/** The fields of a launch that its refusals quote, as the caller wrote them. */
export interface LaunchPaths {
  readonly working_directory: string;
  readonly agent_def_dir: string;
  readonly brain_manifest_path: string;
  readonly role_name: string;
}

/** Why nothing was launched, and whose fault it is: 422 the caller's, 503 this host's; null for a fault in the code. */
export function launchRefusal(
  error: unknown,
  body: LaunchPaths,
): { status: 422 | 503; detail: string } | null {
  if (error instanceof BrainLaunchRefused) return { status: 422, detail: brainWords(error.trouble, body) };
  if (error instanceof LaunchRefused) {
    const { trouble } = error;
    if (trouble.code === 'name_taken')
      return { status: 503, detail: `An agent named ${trouble.name} is already running.` };
    return { status: 422, detail: troubleWords(trouble) };
  }
  if (error instanceof TmuxFault)
    return { status: 503, detail: 'No tmux session can be made on this host now; nothing was launched.' };
  if (error instanceof LaunchFault) return { status: 503, detail: `Nothing was launched: ${error.message}` };
  return null;
}

const folderWords = (field: string, given: string, rule: FolderRule): string =>
  rule === 'absolute' ? `${field} must be an absolute path.` : `${field} ${given} is not an existing folder.`;

function brainWords(trouble: BrainTrouble, body: LaunchPaths): string {
  switch (trouble.code) {
    case 'working_directory':
      return folderWords('working_directory', body.working_directory, trouble.rule);
    case 'agent_definition':
      return folderWords('agent_def_dir', body.agent_def_dir, trouble.rule);
    case 'brain_file':
      return fileWords(body.brain_manifest_path, trouble.rule);
    case 'brain_manifest':
      return `brain_manifest_path does not name a usable brain manifest: ${trouble.reason}.`;
    case 'role_name':
      return 'role_name must be a plain file name of letters, digits, `.`, `_` and `-`.';
    case 'role_missing':
      return `role_name ${body.role_name}: agent_def_dir has no roles/${body.role_name}/system-prompt.md that can be read.`;
    case 'tool_differs':
      return `tool is ${trouble.asked}, but the brain manifest is for ${trouble.declared}.`;
    case 'tool_unknown':
      return `tool ${trouble.tool} cannot run headless here; use one of ${trouble.known.join(', ')}.`;
    case 'agent_name':
      return `agent_name cannot name an agent: ${trouble.rule}.`;
    case 'agent_id':
      return 'agent_id must be a plain file name of letters, digits, `.`, `_` and `-`, at most 128.';
    case 'environment_file':
      return `The environment file that the brain manifest names in credentials.env_contract.source_file ${trouble.reason}.`;
    case 'mailbox_field':
      return `mailbox.${trouble.field} ${trouble.rule}.`;
    case 'launch':
      return troubleWords(trouble.trouble);
  }
}

function fileWords(given: string, rule: 'absolute' | 'file' | 'size'): string {
  if (rule === 'absolute') return 'brain_manifest_path must be an absolute path.';
  return rule === 'file'
    ? `brain_manifest_path ${given} is not an existing file.`
    : 'brain_manifest_path names a file of more than 1 MiB.';
}

/** What a brain manifest says stands for the flags of other launches. */
function troubleWords(trouble: LaunchTrouble): string {
  switch (trouble.code) {
    case 'program_missing':
      return `The brain manifest's runtime.launch_executable ${trouble.program} was not found on this host.`;
    case 'reserved_argument':
      return `The brain manifest's launch arguments carry ${trouble.argument}, which each turn sets itself.`;
    case 'reasoning_refused':
      return `The brain manifest's reasoning level ${trouble.level}: ${trouble.reason}`;
    case 'mailbox_refused':
      return `mailbox: ${trouble.reason}`;
    default:
      return new LaunchRefused(trouble).message;
  }
}
