import type { StyledRow } from '../../screen/styled-rows.js';
import { lastVisible } from './row-shapes.js';

const openings = [/^Unable to connect to\b/, /^Failed to connect to\b/];

const rowsAtEnd = 30;

/** What Claude Code says where it cannot start; null where it does not say so. */
export function startupFailure(rows: readonly StyledRow[]): string | null {
  const texts = lastVisible(rows, rowsAtEnd).map((row) => row.text.trim());
  return texts.find((text) => openings.some((opening) => opening.test(text))) ?? null;
}
