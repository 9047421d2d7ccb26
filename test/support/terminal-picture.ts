import { type StyledRow, type StyledRun, toStyledRows } from '../../src/tools/screen/styled-rows.js';

/** A terminal as HTML, with its colours. @param capture what `tmux capture-pane -p -e` printed. */
export const terminalHtml = (capture: string): string =>
  `<pre style="margin:0;padding:14px;background:#16181d;color:#d8dee9;font:13px/1.35 monospace">${toStyledRows(capture).map(rowHtml).join('\n')}</pre>`;

const rowHtml = ({ runs }: StyledRow): string => runs.map(runHtml).join('');

function runHtml({ text, dim, inverse, foreground, background }: StyledRun): string {
  const [ink, paper] = [colourOf(foreground), colourOf(background)];
  const styles = [
    ...(inverse ? [`color:${paper ?? '#16181d'}`, `background:${ink ?? '#d8dee9'}`] : []),
    ...(!inverse && ink ? [`color:${ink}`] : []),
    ...(!inverse && paper ? [`background:${paper}`] : []),
    ...(dim ? ['opacity:.6'] : []),
  ];
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return styles.length === 0 ? safe : `<span style="${styles.join(';')}">${safe}</span>`;
}

const basic = ['#000', '#c44', '#4a4', '#ca4', '#58d', '#b5b', '#4bb', '#ccc'];

/** @param given `2;R;G;B`, `5;N` of 256, or a code from 30 on; null for the default. */
function colourOf(given: string | null): string | null {
  if (given === null) return null;
  const [kind = 0, ...values] = given.split(';').map(Number);
  if (kind === 2) return `rgb(${values.join(',')})`;
  if (kind === 5) return indexed(values[0] ?? 0);
  return basic[kind % 10] ?? null;
}

/** Of the 256: 16 basic ones, a cube of 6 by 6 by 6, and greys. */
function indexed(index: number): string {
  if (index < 16) return basic[index % 8] ?? '#ccc';
  if (index >= 232)
    return `rgb(${Array(3)
      .fill(8 + (index - 232) * 10)
      .join(',')})`;
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return `rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level).join(',')})`;
}
