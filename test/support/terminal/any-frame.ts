import fc from 'fast-check';
import type { FrameSignals, Tristate } from '../../../src/tools/screen/frame-signals.js';
import { frame, mayI } from './planted-frames.js';

const tristate = fc.constantFrom<Tristate>('yes', 'no', 'unknown');
const mostly = (usual: boolean) => fc.oneof({ arbitrary: fc.constant(usual), weight: 3 }, fc.boolean());

/** Any signals, also such as contradict each other. */
export const anyFrame: fc.Arbitrary<FrameSignals> = fc
  .record({
    acceptingInput: fc.oneof(fc.constant<Tristate>('yes'), tristate),
    editingInput: tristate,
    readyPosture: fc.oneof(fc.constant<Tristate>('yes'), tristate),
    pendingInput: tristate,
    promptVisible: mostly(true),
    promptText: fc.constantFrom(null, 'fix it', 'fix  it', 'other'),
    activeReasons: fc.constantFrom([], [], [], ['thinking_line'], ['status_row']),
    interrupted: mostly(false),
    knownFailure: mostly(false),
    currentError: mostly(false),
    successCandidate: mostly(true),
    successBlocked: mostly(false),
    dialog: fc.constantFrom(null, null, null, null, mayI()),
    overlay: fc.constantFrom(null, null, null, 'slash_command' as const),
    surfaceSignature: fc.constantFrom('a', 'b', 'c'),
  })
  .map(frame);
