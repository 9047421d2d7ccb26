import type { Tristate } from '../../tools/screen/frame-signals.js';

/** Whether a prompt could be typed. */
export interface Surface {
  acceptingInput: Tristate;
  editingInput: Tristate;
  readyPosture: Tristate;
  pendingInput: Tristate;
}

export const unknownSurface: Surface = {
  acceptingInput: 'unknown',
  editingInput: 'unknown',
  readyPosture: 'unknown',
  pendingInput: 'unknown',
};

/** `ready`: nothing runs and a prompt would be accepted; `active`: the agent works. */
export type Phase = 'ready' | 'active' | 'unknown';

/** How the latest finished turn ended, and whether it began with a noted prompt or was only seen on the screen. */
export interface LastTurn {
  result: 'success' | 'interrupted' | 'known_failure' | 'none';
  source: 'explicit_input' | 'surface_inference' | 'none';
}

export const noTurn: LastTurn = { result: 'none', source: 'none' };

/** Whether a prompt was submitted, or a draft or work was only seen. */
export type Authority = 'explicit_input' | 'surface_inference';

/** What was seen of a turn whose end is waited for. */
export type SeenOfTurn = 'nothing' | 'change' | 'work';
