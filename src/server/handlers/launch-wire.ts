import type { operations } from '../../../generated/managed-agent/types.js';
import type { BrainLaunchWish } from '../../launch/brain/brain-launch-wish.js';
import { usualDisplay } from '../../session/headless-display.js';

type Body = operations['launchHeadlessAgent']['requestBody']['content']['application/json'];
type Mailbox = NonNullable<Body['mailbox']>;

/** What a body asks for. Texts are taken without the blanks around them. */
export const toLaunchWish = (body: Body): BrainLaunchWish => ({
  tool: body.tool.trim(),
  workingDirectory: body.working_directory.trim(),
  agentDefinition: body.agent_def_dir.trim(),
  brainPath: body.brain_manifest_path.trim(),
  roleName: body.role_name.trim(),
  agentName: body.agent_name?.trim() ?? null,
  agentId: body.agent_id?.trim() ?? null,
  display: {
    style: body.headless_display_style ?? usualDisplay.style,
    detail: body.headless_display_detail ?? usualDisplay.detail,
  },
  mailbox: body.mailbox ? trimmed(body.mailbox) : null,
});

const trimmed = (mailbox: Mailbox): NonNullable<BrainLaunchWish['mailbox']> =>
  Object.fromEntries(
    Object.entries(mailbox).map(([field, value]) => [
      field,
      typeof value === 'string' ? value.trim() : value,
    ]),
  );
