import type { StyledRun } from './styled-rows.js';

/** `placeholder` is what a tool itself shows in an empty composer; `unknown` is text in a style that tells neither. */
export type ComposerText = 'empty' | 'placeholder' | 'draft' | 'unknown';

/**
 * What stands in a composer, by its style. Text in an ordinary colour was typed, dim text was not. The cursor inverts one
 * character, which then says nothing.
 * @param isTyped whether a run in an ordinary style was typed; a tool may have another style for what it suggests.
 */
export function composerTextKind(
  runs: readonly StyledRun[],
  isTyped: (run: StyledRun) => boolean = () => true,
): ComposerText {
  const visible = runs.filter((run) => run.text.trim() !== '');
  if (visible.length === 0) return 'empty';
  const ordinary = visible.filter((run) => !run.dim && !run.inverse && !run.otherAttribute);
  if (ordinary.some(isTyped)) return 'draft';
  const shown = visible.filter((run) => !run.inverse);
  return shown.length > 0 && shown.every((run) => run.dim || ordinary.includes(run))
    ? 'placeholder'
    : 'unknown';
}
